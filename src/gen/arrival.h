// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What one arrival means for its run. Inline and without any library, because it runs in user space
// (score.c) and inside the kernel (sink_xdp.bpf.c) alike; the definitions are in score.h.

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

#define ARRIVAL_NOT_SEEN UINT64_MAX

// What became of one packet of the run at its destination. Whether it was overtaken is found in
// these at the end: the less a packet costs that arrives, the less it delays the others.
struct arrival {
	uint64_t rx_ns; // of its delivery; ARRIVAL_NOT_SEEN until then
	uint64_t latency_ns;
};

enum arrival_verdict {
	ARRIVAL_DELIVERED,
	ARRIVAL_DUPLICATED,
	ARRIVAL_MISDELIVERED,
	ARRIVAL_STRANGER,
	ARRIVAL_VERDICTS
};

// The verdict about a frame that came to a host, as far as its content tells: one that is to be
// delivered may still be a duplicate. parsed: what frame_parse() returned. announced: it is a
// packet of this run; not looked at when parsed < 0. astray: its destination is another host.
static inline enum arrival_verdict arrival_judge(int parsed, const struct frame_probe *probe,
						 uint64_t start_ns, bool announced, bool astray)
{
	if (parsed == -ENOMSG || probe->tx_ns < start_ns || (parsed == 0 && !announced))
		return ARRIVAL_STRANGER;
	return parsed < 0 || astray ? ARRIVAL_MISDELIVERED : ARRIVAL_DELIVERED;
}

// A packet came to its destination; to be delivered or a duplicate. It may come on several CPUs at
// once, and is delivered once.
static inline enum arrival_verdict arrival_deliver(struct arrival *a,
						   const struct frame_probe *probe, uint64_t rx_ns)
{
	if (__sync_val_compare_and_swap(&a->rx_ns, ARRIVAL_NOT_SEEN, rx_ns) != ARRIVAL_NOT_SEEN)
		return ARRIVAL_DUPLICATED;
	// The two clocks are read at slightly different times: never less than nothing.
	a->latency_ns = rx_ns > probe->tx_ns ? rx_ns - probe->tx_ns : 0;
	return ARRIVAL_DELIVERED;
}
