// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What one arrival means for the tally of its run. Inline and without any library, because it runs
// in user space (score.c) and inside the kernel (sink_xdp.bpf.c) alike; the definitions are in
// score.h.

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "tally.h"

#define ARRIVAL_NOT_SEEN UINT64_MAX

// Packets of one (source, destination) pair.
struct arrival_stream {
	uint32_t count; // packets announced; 0: no such stream
	uint32_t next;  // highest sequence number delivered, plus one
	uint64_t base;  // of its packets in the array of latencies
};

// Counts a frame that came to a host, unless it is to be delivered there: then returns true.
// parsed: what frame_parse() returned. stream: that of the packet; not looked at when parsed < 0.
static inline bool arrival_is_due(struct tally *t, int parsed, const struct frame_probe *probe,
				  uint64_t start_ns, const struct arrival_stream *stream,
				  uint32_t host)
{
	if (parsed == -ENOMSG || probe->tx_ns < start_ns ||
	    (parsed == 0 && probe->sequence >= stream->count)) {
		t->strangers++;
		return false;
	}
	t->received++;
	if (parsed < 0 || host != probe->dst) {
		t->misdelivered++;
		return false;
	}
	return true;
}

// Counts a packet at its destination. latency: its own entry, ARRIVAL_NOT_SEEN until it arrives.
// Packets of one stream may come on several CPUs: each is delivered once, but which of two that
// come at the same instant overtook the other is not defined.
static inline void arrival_deliver(struct tally *t, struct arrival_stream *stream,
				   uint64_t *latency, const struct frame_probe *probe,
				   uint64_t rx_ns)
{
	// The two clocks are read at slightly different times: never less than nothing.
	uint64_t ns = rx_ns > probe->tx_ns ? rx_ns - probe->tx_ns : 0;

	if (__sync_val_compare_and_swap(latency, ARRIVAL_NOT_SEEN, ns) != ARRIVAL_NOT_SEEN) {
		t->duplicated++;
		return;
	}
	if (t->delivered++ == 0)
		t->first_ns = t->last_ns = rx_ns;
	if (rx_ns < t->first_ns)
		t->first_ns = rx_ns;
	if (rx_ns > t->last_ns)
		t->last_ns = rx_ns;
	if (probe->sequence < stream->next)
		t->reordered++;
	else
		stream->next = probe->sequence + 1;
}
