// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which arrival belongs to which sending, where packets are known by their contents only. Pure but for
// memory.
//
// Packets of one kind are alike. The k-th sending belongs to the k-th arrival if all before it had
// arrived when it was sent, and it arrived, alone, before the next was sent. Otherwise nobody can say
// which of several is late, and none of them counts.

#include <stddef.h>
#include <stdint.h>

// Sendings or arrivals in the order of their times, bounded: those from end_ns on are not kept.
struct moments {
	struct moment {
		uint64_t ns;
		uint32_t kind;   // any number; packets that are alike have the same
		uint32_t packet; // which; of sendings
	} * at;                  // owned
	size_t count, room;
	uint64_t end_ns; // UINT64_MAX: all are kept
};

// Moments that are kept of a long replay: 64 MiB.
#define MOMENTS_MAX ((size_t)1 << 22)

// Room for `most` moments, or MOMENTS_MAX. 0 or -ENOMEM.
int moments_make(struct moments *m, uint64_t most);
void moments_free(struct moments *m);
// The kind is the packet until it is known.
void moments_add(struct moments *m, uint32_t packet, uint64_t ns);

enum fate { FATE_UNKNOWN, FATE_ARRIVED, FATE_LOST };

// What became of one sending.
struct outcome {
	uint64_t sent_ns;
	uint64_t latency_ns; // LATENCY_UNKNOWN where it is not certain
	uint32_t packet;
	enum fate fate;
};
#define LATENCY_UNKNOWN UINT64_MAX

// Sorts both, and writes what became of each sending to `outcome`, which has room for all.
void pairs_find(struct moments *sent, struct moments *arrived, struct outcome *outcome);
