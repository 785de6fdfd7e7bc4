// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The live flows of one worker and their uplinks. Paper: "Permutation-flow Routing". A flow appears with its
// first packet and ends after a pause longer than the idle time, or than the grace time once a FIN or RST was
// seen. Memory is bounded: a full table takes no more flows. A flow is identified by its 64-bit hash: among a
// million flows, two share one with probability 1e-7, and then they share an uplink. Owned by one worker: no
// locks, no atomics.
//
// For any flows, a look-up reads at most two buckets of a cache line each, and adding a flow moves at most
// one bucket's flows: a flow is in the first bucket of its hash, or in the second if the first was full.
// (DPDK's rte_hash has no such bound: it chains buckets, or moves up to a thousand keys.) Buckets grow with
// the flows, one split at a time (Litwin, "Linear hashing", VLDB 1980), so that few flows take little cache.
// The hashes use a secret key (core/packet/flow_key.h), so that even chosen flows spread evenly.
//
// A part of the table is reserved for each host that sends up here, so that one host with many flows leaves
// the others theirs.

#include <stdbool.h>
#include <stdint.h>

#include "core/packet/flow_key.h"

#include "common/config/config.h"

// Times within the table: units of 1024 ns, which turn over after 73 minutes.
static inline uint32_t drb_flow_tick(uint64_t ns)
{
	return (uint32_t)(ns >> 10);
}

#define DRB_FLOW_WAYS 12
// Most senders that are told apart; more share parts of the table.
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
	uint8_t tag[16]; // by way: a part of the hash; 0: free. The last four are 0
	uint32_t position[DRB_FLOW_WAYS]; // of the entry
};

// What a table of flowlets has instead.
struct drb_flowlet {
	uint32_t seen;
	uint8_t uplink;
	bool live;
	uint16_t zero;
};

struct drb_flow_table {
	struct drb_flow_bucket *bucket;
	// By bucket: at least as many as there are flows whose first bucket it is, and which are in
	// their second.
	uint16_t *spilled;
	uint32_t buckets, buckets_max; // in use now, and at most
	uint32_t mask;                 // a power of two - 1, not below buckets - 1
	struct drb_flow_entry *entry;  // by position; 0 is nobody's
	uint64_t *used;                // a bit per position
	uint32_t slots;                // positions
	uint32_t unused;               // positions from here on were never used
	uint32_t free;                 // the first of those that were; 0: none
	uint32_t max;                  // most live flows
	uint32_t idle, grace;          // ticks
	uint32_t live;
	uint32_t flows[DRB_PORTS_MAX]; // live per uplink: the load of decisions
	// Of each share: kept for it; and common, for whoever exceeds what is kept, of which so many
	// are taken.
	uint32_t shares, kept, common, taken;
	uint32_t held[DRB_FLOW_SHARES]; // live flows
	// Ageing: the positions are looked through once per 16 steps, 64 at a time from word on.
	uint32_t word, chunk;
	uint64_t due_ns, step_ns;
	// Flows that appeared, ended by idle time, ended by FIN or RST.
	uint64_t appeared, idled, closed;
};

// Flows found by one call of drb_flow_table_find().
#define DRB_FLOW_BULK 64
#define DRB_FLOW_NONE (-1)

// For max flows of so many senders. Needs a running EAL. 0 or -ENOMEM.
int drb_flow_table_init(struct drb_flow_table *t, uint32_t max, uint32_t senders);
// How long flows live, also those in the table already.
void drb_flow_table_times(struct drb_flow_table *t, uint64_t idle_ns, uint64_t grace_ns);
void drb_flow_table_free(struct drb_flow_table *t);
// EAL memory that a table takes, in bytes.
uint64_t drb_flow_table_bytes(uint32_t max);

// The number of a bucket, from 32 bits of a hash. Without a branch, which would go either way as often.
static inline uint32_t drb_flow_bucket_of(const struct drb_flow_table *t, uint32_t bits)
{
	uint32_t b = bits & t->mask;

	return b & t->mask >> (b >= t->buckets);
}

// Ahead of drb_flow_table_find(). Always inline: gcc 12 takes a function that does nothing else for one without
// effect, and leaves the call out.
static inline __attribute__((always_inline)) void drb_flow_table_prefetch(
	const struct drb_flow_table *t, uint64_t hash)
{
	__builtin_prefetch(&t->bucket[drb_flow_bucket_of(t, (uint32_t)hash)]);
}

// The positions of count <= DRB_FLOW_BULK flows; DRB_FLOW_NONE: not in the table.
void drb_flow_table_find(const struct drb_flow_table *t, const uint64_t hash[], uint32_t count,
			 int32_t position[]);
// True if the flow at a position has paused for so long that it has ended.
static inline bool drb_flow_ended(const struct drb_flow_table *t, const struct drb_flow_entry *e,
				  uint32_t tick)
{
	return tick - e->seen > (e->closing ? t->grace : t->idle);
}
// True if there is a place for one more flow of this sender.
static inline bool drb_flow_table_has_room(const struct drb_flow_table *t, uint32_t sender)
{
	return t->held[sender % t->shares] < t->kept || t->taken < t->common;
}
// A flow that was not found appears, with an uplink. Its position, or DRB_FLOW_NONE if there is no room.
int32_t drb_flow_table_add(struct drb_flow_table *t, uint64_t hash, uint32_t sender,
			   uint32_t uplink, uint32_t tick);
// The flow at a position has ended: it is no load any more. Its place stays for the caller, who
// gives it to the flow that appears again.
void drb_flow_table_end(struct drb_flow_table *t, int32_t position);
void drb_flow_table_begin(struct drb_flow_table *t, int32_t position, uint32_t uplink,
			  uint32_t tick);
// The flow at a position gets another uplink.
static inline void drb_flow_table_move(struct drb_flow_table *t, int32_t position, uint32_t uplink)
{
	struct drb_flow_entry *e = &t->entry[position];

	t->flows[e->uplink]--;
	t->flows[uplink]++;
	e->uplink = (uint8_t)uplink;
}
// A packet of the flow at a position, with these TCP flags. After FIN or RST the flow ends once it
// pauses for the grace time; a SYN opens it again.
static inline void drb_flow_table_seen(struct drb_flow_table *t, int32_t position, uint8_t flags,
				       uint32_t tick)
{
	struct drb_flow_entry *e = &t->entry[position];

	e->seen = tick;
	if (__builtin_expect(flags & (DRB_TCP_FIN | DRB_TCP_SYN | DRB_TCP_RST), 0))
		e->closing = !(flags & DRB_TCP_SYN);
}
// Takes the flows out that have ended; bounded work per call, once now_ns has reached t->due_ns.
void drb_flow_table_age(struct drb_flow_table *t, uint64_t now_ns);
// When to call it again; UINT64_MAX without flows.
static inline uint64_t drb_flow_table_next_ns(const struct drb_flow_table *t)
{
	return t->live > 0 ? t->due_ns : UINT64_MAX;
}
