// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/sample.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

static void add_port(struct sample *sample, const struct drb_switch_port *port)
{
	const struct drb_port_counters *c = &port->count;

	sample->in_packets = drb_sum(sample->in_packets, c->in_packets);
	sample->out_packets = drb_sum(sample->out_packets, c->out_packets);
	sample->out_octets = drb_sum(sample->out_octets, c->out_octets);
	if (port->peer[0] == 'h')
		sample->delivered = drb_sum(sample->delivered, c->out_packets);
	sample->dropped = drb_sum(drb_sum(sample->dropped, c->in_missed),
				  drb_sum(c->in_discards, c->out_discards));
	if (c->queue_packets == DRB_UNKNOWN) {
		sample->deepest = DRB_UNKNOWN;
	} else if (c->queue_packets > sample->deepest) {
		sample->deepest = c->queue_packets;
		sample->deepest_port = port->name;
	}
}

static struct sample sample_of(const struct metrics_switch *who)
{
	struct sample sample = {.who = who, .deepest_port = ""};

	if (who->error < 0) {
		memset(&sample, 0xff, sizeof(sample)); // DRB_UNKNOWN
		sample.who = who;
		sample.deepest_port = "";
		return sample;
	}
	sample.up_default = who->all.routing.count.up_default;
	sample.up_redirected = who->all.routing.count.up_redirected;
	for (uint32_t i = 0; i < who->all.port_count; i++)
		add_port(&sample, &who->all.ports[i]);
	const uint64_t multicast = who->all.drops.reason[DRB_DROP_multicast];
	if (multicast != DRB_UNKNOWN && sample.dropped != DRB_UNKNOWN)
		sample.dropped -= multicast; // the switch counts them among discards
	return sample;
}

void samples_take(struct samples *samples)
{
	const size_t count = samples->poll.count;

	samples->at = calloc(count ? count : 1, sizeof(*samples->at));
	if (!samples->at)
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++)
		samples->at[i] = sample_of(&samples->poll.switches[i]);
}

void samples_free(struct samples *samples)
{
	metrics_poll_free(&samples->poll);
	free(samples->at);
	samples->at = NULL;
}

const struct sample *sample_before(const struct samples *before, const struct sample *now)
{
	for (size_t i = 0; now->who->error == 0 && i < before->poll.count; i++) {
		const struct sample *b = &before->at[i];
		if (b->who->error == 0 && b->who->all.info.pid == now->who->all.info.pid &&
		    strcmp(b->who->name, now->who->name) == 0 &&
		    strcmp(b->who->fabric, now->who->fabric) == 0 &&
		    now->who->all.time_ns > b->who->all.time_ns &&
		    now->in_packets >= b->in_packets && now->out_packets >= b->out_packets)
			return b;
	}
	return NULL;
}
