// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Recognises the packets of a foreign capture where they arrive, by what they consist of: the
// hosts' own kernels answer some of them, and those answers are no arrivals. Pure but for memory.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

#include "gen/sinks/tally.h"
#include "gen/captures/trace.h"

#define RECOGNISE_BYTES 128 // of a frame that are looked at, besides its size

struct recogniser;

// Figures of one host.
struct recognised {
	uint64_t sent;     // by the host
	uint64_t expected; // sent to the host
	uint64_t received; // packets of the trace that arrived at the host
	uint64_t duplicated, misdelivered, strangers;
	uint64_t missing; // sent to the host and not delivered
};

// Learns all packets of the trace, which must outlive the recogniser and be addressed to hosts of
// the plan. NULL if memory is out.
struct recogniser *recogniser_new(const struct trace *t, const struct drb_addr_plan *plan);
void recogniser_free(struct recogniser *r);

// A frame of size bytes, of which `captured` are there, arrived at a host.
void recogniser_frame(struct recogniser *r, uint32_t host, const uint8_t *frame, uint32_t captured,
		      uint32_t size);
// Packets that arrived at their destination so far, duplicates included.
uint64_t recogniser_arrived(const struct recogniser *r);

// Compares what arrived with what the trace says was sent. by_host: one per host of the plan.
// Of packets that are alike in what is looked at, those above the number sent are duplicates.
void recogniser_result(struct recogniser *r, struct recognised *by_host, struct tally *tally);
