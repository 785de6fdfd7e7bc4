// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A received burst, as the stages of the datapath pass it on: each stage writes its part for the
// next.

#include <stdbool.h>
#include <stdint.h>

#define DRB_BURST_MAX 256

struct drb_classifier;
struct rte_mbuf;

// Counts of a burst, added to the worker's counters at the end.
struct drb_burst_counters {
	uint32_t packets, up; // received, without hellos; sent up
	uint32_t redirected;  // of `up`: by another uplink than the default
	uint32_t walked;      // of `up`: by a round
	uint32_t exceptions;
	uint64_t octets; // bytes of `packets`
};

struct drb_burst {
	uint32_t in; // the port that it came in by
	uint32_t count;
	struct rte_mbuf **packets;
	const struct drb_classifier *classifier; // tells ordinary traffic from exceptions
	bool marked;                             // it is from below, and some packet has a mark
	// Written by decide and assign, after detours have taken out the packets that they forward:
	uint32_t size;                // bytes of each packet; 0: they differ
	bool unloaded;                // decided while no uplink had a load
	bool counts_queues;           // unloaded, and the scheme must still count defaults
	bool recorded;                // its decisions are sampled for readers of counters
	uint8_t class[DRB_BURST_MAX]; // of each packet, see classify.h
	// Written by enqueue:
	struct rte_mbuf *exception[DRB_BURST_MAX];
	struct drb_burst_counters counters;
};
