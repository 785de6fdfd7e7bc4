// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Recognises the packets of a foreign capture by their contents where they arrive. Hosts' own
// kernels answer some packets, and these answers must not count as arrivals. Pure, apart from
// memory.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#include "common/measures/latency.h"

#include "gen/captures/flows.h"
#include "gen/captures/pairs.h"
#include "gen/captures/trace.h"
#include "gen/sinks/sink.h"
#include "gen/sinks/tally.h"

struct recogniser;

// Figures of one host.
struct recognised {
	uint64_t sent;     // by the host
	uint64_t expected; // sent to the host
	uint64_t received; // packets of the trace that arrived at the host
	uint64_t duplicated, misdelivered, strangers;
	uint64_t missing;          // sent to the host and not delivered
	uint64_t receiver_dropped; // arrived, but the sink had no space, as the sink reports
};

// Learns all packets of the trace, which must outlive the recogniser and be addressed to hosts of
// the plan. `sendings`: most packets that will be sent. NULL: out of memory.
struct recogniser *recogniser_new(const struct trace *t, const struct drb_addr_plan *plan,
				  uint64_t sendings);
void recogniser_free(struct recogniser *r);

// The sender notes there which packet of the trace it sent, by its index, and when.
struct moments *recogniser_sendings(struct recogniser *r);

// A frame arrived at a host.
void recogniser_frame(struct recogniser *r, const struct arrival *a);
// Packets that arrived at their destination so far, duplicates included.
uint64_t recogniser_arrived(const struct recogniser *r);

// Compares arrivals with the packets that the trace says were sent. by_host: one per host of the
// plan; flows: those of the trace. If packets are alike, arrivals beyond the number sent are
// duplicates.
void recogniser_result(struct recogniser *r, struct recognised *by_host, struct flows *flows,
		       struct tally *tally);
// Computes latencies of packets whose times of sending and arrival are certain, also for each flow,
// and how many of a flow were overtaken. Call it once.
struct drb_latency recogniser_latency(struct recogniser *r, struct flows *flows);
// The fate of each sending, sorted by flow and time, after recogniser_latency(). NULL: out of
// memory.
const struct outcome *recogniser_outcomes(const struct recogniser *r, size_t *count);
