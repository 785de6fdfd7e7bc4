// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/late_switches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/telemetry/switch_reader.h"

struct late_count {
	char instance[DRB_NAME_MAX];
	uint64_t slots, lost_ns;
};

struct late_counts late_switches_begin(const char *fabric)
{
	struct late_counts counts = {0};
	struct drb_switch_socket *socket;
	struct drb_switch_worker worker;
	struct drb_telemetry t;
	size_t sockets;

	if (drb_telemetry_scan(NULL, fabric, &socket, &sockets) < 0)
		return counts;
	counts.at = calloc(sockets + 1, sizeof(*counts.at));
	for (size_t i = 0; i < sockets && counts.at; i++) {
		if (drb_telemetry_open(&t, socket[i].path, DRB_TELEMETRY_PROMPT_MS) < 0)
			continue; // left behind by a dead one
		int rc = drb_read_worker(&t, &worker);
		drb_telemetry_close(&t);
		if (rc < 0)
			break;
		struct late_count *c = &counts.at[counts.count++];
		snprintf(c->instance, sizeof(c->instance), "%s", socket[i].instance);
		c->slots = worker.count.late_slots;
		c->lost_ns = worker.count.lost_credit_ns;
	}
	free(socket);
	return counts;
}

// What it counted before; zeros if it was not there, or counts anew since.
static struct late_count earlier(const struct late_counts *before, const struct late_count *now)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct late_count *c = &before->at[i];
		if (strcmp(c->instance, now->instance) == 0 && c->slots <= now->slots &&
		    c->lost_ns <= now->lost_ns)
			return *c;
	}
	return (struct late_count){.slots = 0};
}

struct late_sum late_switches_end(struct late_counts *before, const char *fabric)
{
	struct late_counts after = late_switches_begin(fabric);
	struct late_sum sum = {.switches = 0};
	uint64_t most = 0;

	for (size_t i = 0; i < after.count; i++) {
		const struct late_count *now = &after.at[i];
		const struct late_count then = earlier(before, now);
		uint64_t slots = now->slots - then.slots, lost_ns = now->lost_ns - then.lost_ns;
		if (slots == 0 && lost_ns == 0)
			continue;
		if (sum.switches++ == 0 || lost_ns > most) {
			most = lost_ns;
			memcpy(sum.worst, now->instance, sizeof(sum.worst));
		}
		sum.slots += slots;
		sum.lost_ns += lost_ns;
	}
	free(before->at);
	free(after.at);
	*before = (struct late_counts){0};
	return sum;
}

void late_switches_say(const struct late_sum *late)
{
	char who[2 * DRB_NAME_MAX] = "", slots[64] = "", lost[64] = "";

	if (late->switches == 0)
		return;
	if (late->switches > 1)
		snprintf(who, sizeof(who), " and %" PRIu32 " more switch%s", late->switches - 1,
			 late->switches == 2 ? "" : "es");
	if (late->slots)
		snprintf(slots, sizeof(slots), "%" PRIu64 " packets left a slot or more late",
			 late->slots);
	if (late->lost_ns)
		snprintf(lost, sizeof(lost), "%.1f ms of link time were lost",
			 (double)late->lost_ns / 1e6);
	drb_warn("%s%s woke too late for %s links, as when CPUs are busy: %s%s%s: latencies are "
		 "not quite those of this load; use links of a lower --rate, with longer slots, or "
		 "a less busy machine",
		 late->worst, who, late->switches == 1 ? "its" : "their", slots,
		 late->slots && late->lost_ns ? ", " : "", lost);
}
