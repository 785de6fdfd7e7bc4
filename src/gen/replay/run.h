// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One replay: opens hosts, sends packets, awaits arrivals, and closes everything.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#include "common/measures/latency.h"

#include "gen/captures/trace.h"
#include "gen/replay/drop_places.h"
#include "gen/replay/link_report.h"
#include "gen/replay/schedule.h"
#include "gen/sinks/sink.h"
#include "gen/sinks/tally.h"

struct replay {
	const char *fabric;
	const struct drb_addr_plan *plan;
	// The hosts on this machine, [first, end). A fabric on one machine has all hosts there.
	uint32_t first_host, end_host;
	uint64_t begin_ns; // CLOCK_REALTIME, then also the clock of transmit times; 0: soon
	uint64_t awaited;  // packets; 0: those that were sent
	struct trace *trace;
	struct schedule schedule;
	bool measured;           // measured packets: fill in transmit times, take their port
	struct silence *silence; // flows to keep from hosts' stacks; NULL: none
	uint64_t align_ns;       // the run begins at a multiple of this time; 0: at any time
	uint64_t late_ns;        // packets sent later than this count as late
	uint64_t drain_ns;
	struct watch_slots measured_slots; // without start_ns; all zero: everything is measured
	uint32_t lasting;                  // slots that destinations last
	FILE *links;                       // gets a line of CSV for each link; NULL: none
	FILE *busiest;                     // gets a table of the busiest links; NULL: none
	struct drop_places *places;        // filled in; NULL: not needed
	struct sink *sink;
	// Checks the trace against what the interfaces can carry, before anything is sent. Returns
	// 0 or a negative errno after a message. May be NULL.
	int (*check)(struct trace *t, uint32_t mtu, void *context);
	// Returns the moments to which the sender adds its sendings. Called after check(). NULL:
	// sendings are not noted.
	struct moments *(*sendings)(void *context);
	void *context;
	// Called when the run begins. No packet is sent before start_ns. CLOCK_MONOTONIC is ahead
	// of the clock of start_ns by shift_ns. Returns 0 or a negative errno after a message. May
	// be NULL.
	int (*begin)(void *context, uint64_t start_ns, uint64_t shift_ns);
};

struct replay_result {
	uint64_t sent, failed;
	struct tally tally;
	struct drb_latency latency;
	uint64_t late; // packets
	double late_mean_ns, late_max_ns;
	double sending_ns; // from the start to the last packet
	struct link_report links;
	bool interrupted; // by a signal
	bool answers;     // hosts' stacks got the packets, and may have answered
};

// 0, or a negative errno after a message; then nothing was sent. Closes all sockets in either case,
// except those of the sink, which the caller destroys.
int replay_run(struct replay *r, struct replay_result *result);
