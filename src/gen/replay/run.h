// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One replay: hosts opened, packets sent, arrivals awaited, everything closed again.

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
	// Of a fabric over several machines, the hosts that are here, [first, end); all of them otherwise.
	uint32_t first_host, end_host;
	uint64_t begin_ns; // CLOCK_REALTIME, then also that of transmit times; 0: soon
	uint64_t awaited;  // packets; 0: those that were sent
	struct trace *trace;
	struct schedule schedule;
	bool measured;           // measured packets: transmit times filled in, their port taken
	struct silence *silence; // what hosts' stacks must not get; NULL: they may have everything
	uint64_t align_ns;       // the run begins at a multiple of it; 0: at any time
	uint64_t late_ns;        // packets sent later than that count as late
	uint64_t drain_ns;
	struct watch_slots measured_slots; // but for its start; all zero: everything is measured
	uint32_t lasting;                  // slots that destinations last
	FILE *links;                       // where a line for each link goes; NULL: nowhere
	struct drop_places *places;        // filled in; NULL: nobody asks
	struct sink *sink;
	// Checks the trace against what the interfaces can carry, before anything is sent; 0 or a
	// negative errno after a message. May be NULL.
	int (*check)(struct trace *t, uint32_t mtu, void *context);
	// Where sendings are noted, asked for after check(); NULL: nowhere.
	struct moments *(*sendings)(void *context);
	void *context;
	// Called when the run begins: no packet is sent before start_ns, on a clock that CLOCK_MONOTONIC
	// is ahead of by shift_ns. 0 or a negative errno after a message. May be NULL.
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

// 0, or a negative errno after a message; then nothing was sent. All sockets are closed in either
// case but those of the sink, which the caller destroys.
int replay_run(struct replay *r, struct replay_result *result);
