// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links of a fabric while something is replayed, by the counters of their switches. One thread, which looks at the
// moments that it is told, and about once a second in between.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/counters.h"
#include "core/fabric/names.h"
#include "core/fabric/tree.h"

#include "common/telemetry/switch_reader.h"

// When counters are kept: before anything is sent; when what is measured begins; half-way from the first packet to its
// end, and there; when the last packet has arrived. Of a capture all is measured.
enum watch_moment { WATCH_START, WATCH_BEGIN, WATCH_HALF, WATCH_END, WATCH_DONE, WATCH_MOMENTS };

struct watched_port {
	char name[DRB_NAME_MAX], peer[2 * DRB_NAME_MAX];
	char rate[32];
	struct drb_port_counters count[WATCH_MOMENTS];
	uint64_t lost_ns; // lost_credit_ns as of the last look
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
	struct drb_tree tree;           // of the fabric; all zero: nobody told a tree
	uint64_t due_ns[WATCH_MOMENTS]; // CLOCK_MONOTONIC; UINT64_MAX: at the end
	unsigned done;                  // moments, a bit each
	uint64_t looked_ns, look_ns;    // the last look: when it was, and how long it took
	uint64_t slowed_ns; // since when a link has lost 1 % of its time or more; 0: none did
};

// Looks for the first time. A fabric whose switches do not answer promptly is watched as far as they do.
void link_watch_begin(struct link_watch *w, const char *fabric);
// When the moments come, in slots from start_ns on: measured are [first, end) of them; slot_ns 0: all there is.
struct watch_slots {
	uint64_t start_ns, slot_ns;
	uint32_t first, end;
};
void link_watch_plan(struct link_watch *w, const struct watch_slots *slots);
// Looks if it is time.
void link_watch_poll(struct link_watch *w);
// All has been sent: looks for WATCH_END, if it did not.
void link_watch_sent(struct link_watch *w);
// Looks for the last time.
void link_watch_end(struct link_watch *w);
void link_watch_free(struct link_watch *w);

// What a counter grew by; one that is smaller counts anew since.
static inline uint64_t watch_grown(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : after;
}
