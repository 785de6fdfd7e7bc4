// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Matches arrivals with sendings of packets that only their contents identify. Pure, apart from
// memory.
//
// Packets of one kind are alike. The k-th sending belongs to the k-th arrival on two conditions.
// When the k-th packet was sent, all packets sent before it had arrived. Before the next packet was
// sent, exactly one more had arrived. Otherwise it is unknown which of several packets is late, and
// none of them counts.

#include <stddef.h>
#include <stdint.h>

// The times of sendings or arrivals. Their number is limited: those from end_ns on are missing.
struct moments {
	struct moment {
		uint64_t ns;
		uint32_t kind;   // any number, the same for packets that are alike
		uint32_t packet; // index of the packet; only for sendings
	} * at;                  // owned
	size_t count, room;
	uint64_t end_ns; // UINT64_MAX: all are there
};

// The most moments of a long replay: 64 MiB.
#define MOMENTS_MAX ((size_t)1 << 22)

// Makes space for `most` moments, but no more than MOMENTS_MAX. 0 or -ENOMEM.
int moments_make(struct moments *m, uint64_t most);
void moments_free(struct moments *m);
// Adds a moment. Its kind is the packet until the kind is known.
void moments_add(struct moments *m, uint32_t packet, uint64_t ns);

enum fate { FATE_UNKNOWN, FATE_ARRIVED, FATE_LOST };

// The fate of one sending.
struct outcome {
	uint64_t sent_ns;
	uint64_t latency_ns; // LATENCY_UNKNOWN if it is uncertain
	uint32_t packet;
	enum fate fate;
};
#define LATENCY_UNKNOWN UINT64_MAX

// Sorts both, and writes the fate of each sending to `outcome`, which must have space for all.
void pairs_find(struct moments *sent, struct moments *arrived, struct outcome *outcome);
