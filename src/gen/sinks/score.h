// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Judges measured packets: what was lost, duplicated, misdelivered or reordered, and how long the
// rest took. Pure: fed with packets, no I/O, no clock.
//
// Every packet of the run is announced first. One that arrives at its destination for the first
// time is delivered; again, a duplicate; at another host, misdelivered. It is reordered if a packet
// of its stream (source, destination) with a higher sequence number was delivered before it (RFC
// 4737, type-P-reordered). So sent + duplicated + misdelivered = received + lost.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/measures/latency.h"

#include "gen/frames/measured_frame.h"
#include "gen/sinks/tally.h"

struct score;

// Latencies are kept for cohorts in [first, end). NULL if memory is out.
struct score *score_new(const struct drb_addr_plan *plan, uint32_t first, uint32_t end);
void score_free(struct score *s);

// Announces the next packet of stream (src, dst); its sequence number is the count of packets of
// the stream before it. Returns that number; -ENOMEM.
int64_t score_expect(struct score *s, uint32_t src, uint32_t dst, uint32_t cohort);
// All packets are announced and none of them is sent before start_ns: call once before the first
// arrival. 0 or -ENOMEM.
int score_ready(struct score *s, uint64_t start_ns);

// A frame, of which size bytes were captured, arrived at a host at rx_ns (clock of its tx_ns).
// Strangers are frames that are no measured packets, those sent before the start, and packets
// nobody announced. A packet with other addresses than those of its labels is misdelivered.
void score_frame(struct score *s, uint32_t host, const uint8_t *frame, size_t size, uint64_t rx_ns);

// Of a fabric over several machines: only hosts in [first, end) are here. Packets of others are not in the
// latencies, since their times are those of other clocks; their records have them, also below zero. What is
// given to score_frame() is ahead of the clock of tx_ns and of start_ns by shift_ns. Before score_ready().
void score_part(struct score *s, uint32_t first, uint32_t end);
void score_clock(struct score *s, uint64_t shift_ns);

// Packets announced.
uint64_t score_packets(const struct score *s);
uint64_t score_delivered(const struct score *s);

// What became of one packet.
struct score_record {
	uint32_t source, destination, sequence, cohort;
	bool counted; // its cohort is one of those whose latencies are kept
	bool arrived;
	uint64_t rx_ns; // if it arrived
	int64_t latency_ns;
};
// Visits every packet that was announced, those of a stream in order.
void score_each(const struct score *s, void (*visit)(void *context, const struct score_record *r),
		void *context);

void score_result(struct score *s, struct tally *tally, struct drb_latency *latency);
