// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A received burst between the stages of the datapath: each stage writes its part for the next.

#include <stdbool.h>
#include <stdint.h>

#define DRB_BURST_MAX 256

struct drb_classifier;
struct rte_mbuf;

// What became of the packets of a burst; added to the worker's counters when all is done.
struct drb_burst_counters {
	uint32_t packets, up; // received but for hellos; sent up
	uint32_t redirected;  // of up, by another uplink than the default
	uint32_t walked;      // of up, by a round
	uint32_t exceptions;
	uint64_t octets; // of packets
};

struct drb_burst {
	uint32_t in; // the port that it came in by
	uint32_t count;
	struct rte_mbuf **packets;
	const struct drb_classifier *classifier; // tells plain traffic from exceptions
	bool marked;                             // it is from below, and some packet has a mark
	// Written by decide and assign, after detours have taken out what they forward themselves:
	uint32_t size;                // octets of each packet; 0: they differ
	bool unloaded;                // decided while no uplink had a load
	bool counts_queues;           // the same, and the scheme has yet to count the defaults
	bool recorded;                // its decisions are a sample for the reader of counters
	uint8_t class[DRB_BURST_MAX]; // of each packet, see classify.h
	// Written by enqueue:
	struct rte_mbuf *exception[DRB_BURST_MAX];
	struct drb_burst_counters counters;
};
