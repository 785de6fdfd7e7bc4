// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory that the two ends of a memif link share: regions, which the client creates. A server accepts
// only regions that their owner can neither shorten nor take pages from, and only as many as the rings of its
// link need, since pages that it touches count as its own memory.

#include <stdint.h>

#define DRB_MEMIF_REGIONS 16 // most of them that a link has

// Mapped. Zeroed: none. Owned by the channel that named it.
struct drb_memif_memory {
	struct {
		uint8_t *at; // NULL: not named
		uint64_t size;
	} region[DRB_MEMIF_REGIONS];
	uint32_t count; // regions 0 to count - 1 are named
	uint64_t total; // octets of all, in whole pages
};

// What the other end says of a region.
struct drb_memif_region {
	uint16_t index;
	uint64_t size; // octets
	int fd;        // stays the caller's
};

// `octets` in whole pages.
uint64_t drb_memif_whole_pages(uint64_t octets);
// Octets that so many pairs of rings may take, which are no larger than ours.
uint64_t drb_memif_memory_most(uint32_t pairs);

// Makes a region, the only one, and maps it: zeroed, for a server to take. A descriptor of it, which becomes the
// caller's, or -errno.
int drb_memif_memory_make(struct drb_memif_memory *memory, uint64_t size);
// Maps one more region, if there are at most `most` octets then. NULL, or why it is refused.
const char *drb_memif_memory_add(struct drb_memif_memory *memory,
				 const struct drb_memif_region *said, uint64_t most);
void drb_memif_memory_free(struct drb_memif_memory *memory);
