// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Recognises the packets of a foreign capture where they arrive, by what they consist of: the
// hosts' own kernels answer some of them, and those answers are no arrivals. Pure but for memory.

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
	uint64_t receiver_dropped; // arrived, but the sink had no room: what the sink says
};

// Learns all packets of the trace, which must outlive the recogniser and be addressed to hosts of
// the plan; so many will be sent at most. NULL if memory is out.
struct recogniser *recogniser_new(const struct trace *t, const struct drb_addr_plan *plan,
				  uint64_t sendings);
void recogniser_free(struct recogniser *r);

// Where the sender notes when it sent which packet of the trace, by its index.
struct moments *recogniser_sendings(struct recogniser *r);

// A frame arrived at a host.
void recogniser_frame(struct recogniser *r, const struct arrival *a);
// Packets that arrived at their destination so far, duplicates included.
uint64_t recogniser_arrived(const struct recogniser *r);

// Compares what arrived with what the trace says was sent. by_host: one per host of the plan; flows: those of
// the trace. Of packets that are alike in what is looked at, those above the number sent are duplicates.
void recogniser_result(struct recogniser *r, struct recognised *by_host, struct flows *flows,
		       struct tally *tally);
// Latencies of the packets for which it is certain when they were sent and when they arrived, and those of each
// flow, with how many were overtaken. Once.
struct drb_latency recogniser_latency(struct recogniser *r, struct flows *flows);
// What became of each sending, by flow and time: after recogniser_latency(). NULL if memory was out.
const struct outcome *recogniser_outcomes(const struct recogniser *r, size_t *count);
