// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output of a replay.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cli/table.h"
#include "common/measures/latency.h"
#include "gen/replay/link_report.h"
#include "gen/sinks/tally.h"

struct report {
	uint64_t awaited;      // packets that were to arrive here
	uint64_t sent, failed; // failed: the host's stack refused them
	struct tally tally;
	struct drb_latency latency;
	uint64_t slot_ns;
	double offered_load;  // packets per host and slot of the traffic
	double achieved_load; // packets delivered per host and slot, from first to last delivery
	uint64_t late;        // packets sent more than half a slot behind the schedule
	double late_mean_ns, late_max_ns;
	const struct link_report *links;
};

// Packets that the fabric lost: awaited and not delivered, without those that a full receiving
// socket dropped on arrival.
uint64_t report_lost(const struct report *r);
// True if latencies and losses do not come from this load alone. The generator missed its schedule
// by more than half a slot at least once, or the machine slowed links.
bool report_late(const struct report *r);
// The sum of the latencies of all packets that arrived.
double report_latency_ns(const struct report *r);
// True if every packet sent arrived, once and at the right host, and the receiver kept up.
bool report_clean(const struct report *r);

// Prints the figures of a measured run. CSV and JSON get one row with all keys. Tables are for
// people, with latencies in slots and microseconds.
void report_measured(const struct report *r, FILE *out, enum drb_format format);
