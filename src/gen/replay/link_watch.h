// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Watches the links of a fabric during a replay, by the counters of its switches. One thread reads
// the counters at given moments, and about once a second between these.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/counters.h"
#include "core/fabric/names.h"
#include "core/fabric/tree.h"

#include "common/telemetry/switch_reader.h"

// The moments at which counters are kept. START is before anything is sent. BEGIN and END are the
// beginning and the end of the measured part. HALF is in the middle between the first packet and
// END. DONE is after the last arrival. Captures are measured as a whole.
enum watch_moment { WATCH_START, WATCH_BEGIN, WATCH_HALF, WATCH_END, WATCH_DONE, WATCH_MOMENTS };

struct watched_port {
	char name[DRB_NAME_MAX], peer[2 * DRB_NAME_MAX];
	char rate[32];
	struct drb_port_counters count[WATCH_MOMENTS];
	uint64_t lost_ns; // lost_credit_ns at the last reading
};

struct watched_switch {
	char instance[DRB_NAME_MAX], path[108];
	uint32_t layer, label, ports;
	bool gone;                       // it did not answer promptly, and is not asked again
	uint64_t time_ns[WATCH_MOMENTS]; // CLOCK_MONOTONIC
	struct drb_routing_counters routing[WATCH_MOMENTS];
	struct drb_worker_counters worker[WATCH_MOMENTS];
	struct drb_switch_drops drops[WATCH_MOMENTS];
	struct watched_port *port; // owned
};

struct link_watch {
	struct watched_switch *at; // owned
	size_t count;
	struct drb_tree tree;           // the fabric's tree; all zero: no switch has reported it
	uint64_t due_ns[WATCH_MOMENTS]; // CLOCK_MONOTONIC; UINT64_MAX: at the end
	unsigned done;                  // moments that are over, a bit each
	uint64_t looked_ns, look_ns;    // the last reading: when it began, and how long it took
	uint64_t slowed_ns; // time from which a link lost 1 % of its time or more; 0: none did
};

// Reads the counters for the first time. Watches only the switches that answer promptly.
void link_watch_begin(struct link_watch *w, const char *fabric);
// Plans the moments, in slots from start_ns on. Slots [first, end) are measured. slot_ns 0: all
// slots are.
struct watch_slots {
	uint64_t start_ns, slot_ns;
	uint32_t first, end;
};
void link_watch_plan(struct link_watch *w, const struct watch_slots *slots);
// Delays the moments that are still to come.
void link_watch_delay(struct link_watch *w, uint64_t ns);
// Reads the counters if it is time.
void link_watch_poll(struct link_watch *w);
// Called when all packets are sent. Reads the counters for all moments that were not yet due.
void link_watch_sent(struct link_watch *w);
// Reads the counters for the last time.
void link_watch_end(struct link_watch *w);
void link_watch_free(struct link_watch *w);

// The growth of a counter; DRB_UNKNOWN if a reading is unknown. A counter that decreased has
// restarted at 0.
static inline uint64_t watch_grown(uint64_t before, uint64_t after)
{
	if (before == DRB_UNKNOWN || after == DRB_UNKNOWN)
		return DRB_UNKNOWN;
	return after >= before ? after - before : after;
}
