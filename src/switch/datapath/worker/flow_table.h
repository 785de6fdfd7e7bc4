// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The live flows of one worker and the uplink each was given. Paper: "Permutation-flow Routing".
// A flow appears with its first packet and ends when it pauses for longer than the idle time, or
// than the grace time once a FIN or RST was seen. Memory is bounded: a full table takes no more
// flows. Flows are told apart by their 64-bit hash: among a million, two share one with
// probability 3e-8, and then they share an uplink.
// Owned by one worker: no locks, no atomics. The flows are in DPDK's rte_hash, which is asked for
// 64 at once; before it stands a table of guesses, positions with eight bits of the hash, in sets
// of four chosen by other bits. It grows with the number of flows, so that few take little cache.

#include <stdbool.h>
#include <stdint.h>

#include "core/packet/flow_key.h"

#include "common/config/config.h"

struct rte_hash;

// Times within the table: units of 1024 ns, which turn over after 73 minutes.
static inline uint32_t drb_flow_tick(uint64_t ns)
{
	return (uint32_t)(ns >> 10);
}

#define DRB_FLOW_WAYS 4

struct drb_flow_entry {
	uint64_t hash;
	uint32_t seen; // tick of the last packet
	uint8_t uplink;
	bool live;
	bool closing; // FIN or RST was seen
	uint8_t zero;
};

// What a table of flowlets has instead.
struct drb_flowlet {
	uint32_t seen;
	uint8_t uplink;
	bool live;
	uint16_t zero;
};

struct drb_flow_table {
	struct rte_hash *hash;
	struct drb_flow_entry *entry; // by position in the hash
	uint64_t *used;               // a bit per position
	uint32_t *guess;              // eight bits of hash above a position; may be wrong
	uint32_t sets_mask, sets_max; // sets in use now, and at most
	uint32_t victim;              // which of a full set goes next
	uint32_t slots;               // positions
	uint32_t max;                 // most live flows
	uint32_t idle, grace;         // ticks
	uint32_t live;
	uint32_t flows[DRB_PORTS_MAX]; // live per uplink: the load of decisions
	// Ageing: the positions are looked through once per 16 steps, 64 at a time from word on.
	uint32_t word, chunk;
	uint64_t due_ns, step_ns;
	// Flows that appeared, ended by idle time, ended by FIN or RST.
	uint64_t appeared, idled, closed;
};

// Flows found by one call of drb_flow_table_find().
#define DRB_FLOW_BULK 64
#define DRB_FLOW_NONE (-1)

// name: unique within the process. Needs a running EAL. 0 or -ENOMEM.
int drb_flow_table_init(struct drb_flow_table *t, const char *name, uint32_t max, uint64_t idle_ns,
			uint64_t grace_ns);
// Other times to live, for the flows in the table too.
void drb_flow_table_times(struct drb_flow_table *t, uint64_t idle_ns, uint64_t grace_ns);
void drb_flow_table_free(struct drb_flow_table *t);
// EAL memory that a table takes, in bytes.
uint64_t drb_flow_table_bytes(uint32_t max);

// Ahead of drb_flow_table_find().
static inline void drb_flow_table_prefetch(const struct drb_flow_table *t, uint64_t hash)
{
	__builtin_prefetch(&t->guess[(hash & t->sets_mask) * DRB_FLOW_WAYS]);
}

// The positions of count <= DRB_FLOW_BULK flows; DRB_FLOW_NONE: not in the table.
void drb_flow_table_find(struct drb_flow_table *t, const uint64_t hash[], uint32_t count,
			 int32_t position[]);
// True if the flow at a position has paused for so long that it has ended.
static inline bool drb_flow_ended(const struct drb_flow_table *t, const struct drb_flow_entry *e,
				  uint32_t tick)
{
	return tick - e->seen > (e->closing ? t->grace : t->idle);
}
// A flow that was not found appears, with an uplink. Its position, or DRB_FLOW_NONE if the table is
// full.
int32_t drb_flow_table_add(struct drb_flow_table *t, uint64_t hash, uint32_t uplink, uint32_t tick);
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
