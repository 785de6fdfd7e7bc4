// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/queues.h"

#include <math.h>

#include "sim/flows/transfers.h"
#include "sim/models/packet_slot.h"

static struct drb_transfers *transfers_of(const struct drb_packet_sim *sim)
{
	return sim->source->context;
}

// Trims a packet at this port. Its header goes on and never waits behind data.
static void trim(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t port,
		 uint64_t word)
{
	struct drb_transfers *t = transfers_of(sim);
	struct drb_flying packet = t->flying.packet[birth_of(sim, word)];
	const struct drb_transfer *f = &t->transfer[packet.transfer];
	uint32_t m = at->l->layer, top = m;
	uint64_t delay = 0;

	if (port < at->l->up) {
		top = drb_distance(&t->setup.tree, f->source, f->dest);
		top = top > m ? top : m + 1; // the packet is on a detour
	}
	for (uint32_t i = m + 1; i <= top; i++)
		delay += t->setup.delay.link[i];
	for (uint32_t i = 1; i <= top; i++)
		delay += t->setup.delay.link[i];
	const struct drb_paces *pace = &t->setup.pace;
	const uint32_t links = 2 * drb_pace_of_way(pace, top) - drb_pace_of_way(pace, m);
	uint64_t hops = (uint64_t)llround(links * drb_transfers_ack_hop(t));
	packet.trimmed = true;
	packet.last_hop = m == 1 && port >= at->l->up;
	drb_transfers_acknowledge(t, &packet, sim->slot + (hops ? hops : 1) + delay);
	drb_transfers_drop(sim, word);
}

int drb_queues_join(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t port,
		    uint64_t word, uint32_t *max)
{
	struct drb_transfers *t = transfers_of(sim);
	uint32_t len = at->l->len[at->first + port];

	if (len >= t->setup.queue) {
		if (sim->links)
			drb_link_record_refusal(sim->links, at->l->layer, at->first + port);
		if (t->setup.trim)
			trim(sim, at, port, word);
		else
			drb_transfers_drop(sim, word);
		return 0;
	}
	if (len >= t->setup.mark && t->setup.source != DRB_SIM_UEC)
		t->flying.packet[birth_of(sim, word)].marked = true;
	return join(&sim->fabric.pool, at->l, at->first + port, word, max);
}

void drb_queues_mark(const struct drb_packet_sim *sim, const struct active_switch *at)
{
	struct drb_transfers *t = transfers_of(sim);
	const uint32_t least = t->setup.mark, most = t->setup.mark_most;
	const uint32_t *len = at->l->len + at->first;
	const struct drb_pace *pace = sim->slow.of[at->l->layer];

	for (uint32_t i = 0; i < at->l->up + at->l->down; i++) {
		if (len[i] <= least + 1 ||
		    (pace && !drb_pace_leaves(&pace[at->first + i], sim->slot)))
			continue;
		const uint32_t left = len[i] - 1;
		if (left <= most &&
		    drb_rng_unit(&t->mark_rng) * (most - least) >= (double)(left - least))
			continue;
		uint64_t word = drb_fifo_peek(&sim->fabric.pool, &at->l->fifo[at->first + i], 0);
		t->flying.packet[birth_of(sim, word)].marked = true;
	}
}
