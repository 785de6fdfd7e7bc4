// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Judges measured packets: counts lost, duplicated, misdelivered and reordered packets, and
// measures latencies. Pure: packets are passed in; no I/O, no clock.
//
// Every packet of the run is announced first. A packet that arrives at its destination for the
// first time is delivered, and later a duplicate; at another host it is misdelivered. It is
// reordered if a packet of its stream (source, destination) with a higher sequence number was
// delivered before it (RFC 4737, type-P-reordered). Therefore sent + duplicated + misdelivered =
// received + lost.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/measures/latency.h"

#include "gen/frames/measured_frame.h"
#include "gen/sinks/tally.h"

struct score;

// Latencies are kept for cohorts in [first, end). NULL: out of memory.
struct score *score_new(const struct drb_addr_plan *plan, uint32_t first, uint32_t end);
void score_free(struct score *s);

// Announces the next packet of stream (src, dst). Its sequence number is the number of packets
// announced for the stream before. Returns the sequence number, or -ENOMEM.
int64_t score_expect(struct score *s, uint32_t src, uint32_t dst, uint32_t cohort);
// Called once, when all packets are announced, before the first arrival. No packet is sent before
// start_ns. 0 or -ENOMEM.
int score_ready(struct score *s, uint64_t start_ns);

// A frame with `size` captured bytes arrived at a host at rx_ns, on the clock of its tx_ns.
// Strangers are frames that are not measured packets, frames sent before the start, and packets
// that were not announced. A packet is misdelivered if its addresses are not those of its labels.
void score_frame(struct score *s, uint32_t host, const uint8_t *frame, size_t size, uint64_t rx_ns);

// For a fabric over several machines; call these before score_ready(). Only hosts in [first, end)
// are on this machine. Packets of other hosts have times of another clock. Latencies therefore
// leave them out, and records include them, even with negative latencies. rx_ns is ahead of the
// clock of tx_ns and start_ns by shift_ns.
void score_part(struct score *s, uint32_t first, uint32_t end);
void score_clock(struct score *s, uint64_t shift_ns);

// The number of announced packets, and of delivered ones.
uint64_t score_packets(const struct score *s);
uint64_t score_delivered(const struct score *s);

// The fate of one packet.
struct score_record {
	uint32_t source, destination, sequence, cohort;
	bool counted; // its cohort is one of those whose latencies are kept
	bool arrived;
	uint64_t rx_ns; // valid if it arrived
	int64_t latency_ns;
};
// Leaves a packet that was never sent out of score_each(). After score_ready().
void score_withdraw(struct score *s, uint32_t src, uint32_t dst, uint32_t sequence);
// Visits every other announced packet; packets of a stream come in order.
void score_each(const struct score *s, void (*visit)(void *context, const struct score_record *r),
		void *context);

void score_result(struct score *s, struct tally *tally, struct drb_latency *latency);
