// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The live flows of one worker and their uplinks. Paper: "Permutation-flow Routing". A flow appears
// with its first packet and ends after a pause longer than the idle time, or than the grace time
// once a FIN or RST was seen. Memory is bounded: a full table takes no more flows. A flow is
// identified by its 64-bit hash: among a million flows, two share one with probability 1e-7, and
// then they share an uplink. Owned by one worker: no locks, no atomics.
//
// For any flows, a look-up reads at most two buckets of a cache line each, and adding a flow moves
// at most one bucket's flows. A flow is in the first bucket of its hash, or in the second if the
// first was full. (DPDK's rte_hash has no such bound: it chains buckets, or moves up to a thousand
// keys.) Buckets grow with the flows, one split at a time (Litwin, "Linear hashing", VLDB 1980), so
// that few flows take little cache. The hashes use a secret key (core/packet/flow_key.h), so that
// even chosen flows spread evenly.
//
// A part of the table is reserved for each host that sends up here, so that one host with many
// flows does not take the parts of others.

#include <stdbool.h>
#include <stdint.h>

#include "core/packet/flow_key.h"

#include "common/config/config.h"

// Times in the table have a unit of 1024 ns, and wrap after 73 minutes.
static inline uint32_t drb_flow_tick(uint64_t ns)
{
	return (uint32_t)(ns >> 10);
}

#define DRB_FLOW_WAYS 12
// Most senders with a part of their own; with more, several share one.
#define DRB_FLOW_SHARES 256

struct drb_flow_entry {
	uint64_t hash;
	uint32_t seen; // tick of the last packet
	uint8_t uplink;
	bool live;
	bool closing; // FIN or RST was seen
	uint8_t share;
};

struct drb_flow_bucket {
	uint8_t tag[16];                  // by way: part of the hash; 0: free. The last four are 0
	uint32_t position[DRB_FLOW_WAYS]; // of the entry
};

// Entry of the table of flowlets.
struct drb_flowlet {
	uint32_t seen;
	uint8_t uplink;
	bool live;
	uint16_t zero;
};

struct drb_flow_table {
	void *memory; // of the buckets, which are aligned to cache lines
	struct drb_flow_bucket *bucket;
	// By bucket: an upper bound of the flows that have it as their first bucket, but are in
	// their second.
	uint16_t *spilled;
	uint32_t buckets, buckets_max; // in use now, and at most
	uint32_t mask;                 // a power of two - 1, not below buckets - 1
	struct drb_flow_entry *entry;  // by position; 0 is never used
	uint64_t *used;                // a bit per position
	uint32_t slots;                // positions
	uint32_t unused;               // positions from here on were never used
	uint32_t free;                 // head of the list of free positions below; 0: none
	uint32_t max;                  // most live flows
	uint32_t idle, grace;          // ticks
	uint32_t live;
	uint32_t flows[DRB_PORTS_MAX]; // live per uplink: the load of decisions
	// shares: number of shares. kept: flows reserved for each share. common: further flows, for
	// all shares that exceed `kept`. taken: how many of the common flows are in use.
	uint32_t shares, kept, common, taken;
	uint32_t held[DRB_FLOW_SHARES]; // live flows of each share
	// Ageing checks every position once in 16 steps, 64 positions at a time, beginning at word.
	uint32_t word, chunk;
	uint64_t due_ns, step_ns;
	// Flows that appeared, ended by idle time, ended by FIN or RST.
	uint64_t appeared, idled, closed;
};

// Most flows that one call of drb_flow_table_find() finds.
#define DRB_FLOW_BULK 64
#define DRB_FLOW_NONE (-1)

// max: most live flows. senders: hosts that send up here. 0 or -ENOMEM.
int drb_flow_table_init(struct drb_flow_table *t, uint32_t max, uint32_t senders);
// Sets the idle and grace times, also for flows that are in the table.
void drb_flow_table_times(struct drb_flow_table *t, uint64_t idle_ns, uint64_t grace_ns);
void drb_flow_table_free(struct drb_flow_table *t);

// The bucket that 32 bits of a hash select. Without a branch, because it could not be predicted.
static inline uint32_t drb_flow_bucket_of(const struct drb_flow_table *t, uint32_t bits)
{
	uint32_t b = bits & t->mask;

	return b & t->mask >> (b >= t->buckets);
}

// Call ahead of drb_flow_table_find(). Always inline: gcc 12 takes a function that only prefetches
// for one without effect, and omits the call.
static inline __attribute__((always_inline)) void drb_flow_table_prefetch(
	const struct drb_flow_table *t, uint64_t hash)
{
	__builtin_prefetch(&t->bucket[drb_flow_bucket_of(t, (uint32_t)hash)]);
}

// Finds the positions of count <= DRB_FLOW_BULK flows; DRB_FLOW_NONE: not in the table.
void drb_flow_table_find(const struct drb_flow_table *t, const uint64_t hash[], uint32_t count,
			 int32_t position[]);
// True if the flow at a position has paused for so long that it has ended.
static inline bool drb_flow_ended(const struct drb_flow_table *t, const struct drb_flow_entry *e,
				  uint32_t tick)
{
	return tick - e->seen > (e->closing ? t->grace : t->idle);
}
// True if the table takes one more flow of this sender.
static inline bool drb_flow_table_has_room(const struct drb_flow_table *t, uint32_t sender)
{
	return t->held[sender % t->shares] < t->kept || t->taken < t->common;
}
// Adds a flow that was not found, with an uplink. Returns its position, or DRB_FLOW_NONE if the
// table does not take it.
int32_t drb_flow_table_add(struct drb_flow_table *t, uint64_t hash, uint32_t sender,
			   uint32_t uplink, uint32_t tick);
// Ends the flow at a position: it is no load any more. The position stays in use for
// drb_flow_table_begin(), which gives it to the flow when that appears again.
void drb_flow_table_end(struct drb_flow_table *t, int32_t position);
void drb_flow_table_begin(struct drb_flow_table *t, int32_t position, uint32_t uplink,
			  uint32_t tick);
// Moves the flow at a position to another uplink.
static inline void drb_flow_table_move(struct drb_flow_table *t, int32_t position, uint32_t uplink)
{
	struct drb_flow_entry *e = &t->entry[position];

	t->flows[e->uplink]--;
	t->flows[uplink]++;
	e->uplink = (uint8_t)uplink;
}
// Records a packet of the flow at a position, with these TCP flags. After FIN or RST the flow ends
// once it pauses for the grace time; a SYN reopens it.
static inline void drb_flow_table_seen(struct drb_flow_table *t, int32_t position, uint8_t flags,
				       uint32_t tick)
{
	struct drb_flow_entry *e = &t->entry[position];

	e->seen = tick;
	if (__builtin_expect(flags & (DRB_TCP_FIN | DRB_TCP_SYN | DRB_TCP_RST), 0))
		e->closing = !(flags & DRB_TCP_SYN);
}
// Removes flows that have ended. Call once now_ns has reached t->due_ns; the work of one call is
// bounded.
void drb_flow_table_age(struct drb_flow_table *t, uint64_t now_ns);
// Returns when drb_flow_table_age() is due again. UINT64_MAX: there are no flows.
static inline uint64_t drb_flow_table_next_ns(const struct drb_flow_table *t)
{
	return t->live > 0 ? t->due_ns : UINT64_MAX;
}
