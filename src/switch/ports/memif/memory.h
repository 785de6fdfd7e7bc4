// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory that the two ends of a memif link share: regions, which the client makes. A server
// accepts only regions that cannot shrink and whose pages cannot vanish. A server also limits the
// size of regions to that of the rings, because pages that the server touches count as its own
// memory.

#include <stdint.h>

#define DRB_MEMIF_REGIONS 16 // most regions of a link

// Mapped regions. All zero: none. Owned by the channel.
struct drb_memif_memory {
	struct {
		uint8_t *at; // NULL: not named
		uint64_t size;
	} region[DRB_MEMIF_REGIONS];
	uint32_t count; // regions 0 to count - 1 are named
	uint64_t total; // bytes of all regions, in whole pages
};

// A region as the other end describes it.
struct drb_memif_region {
	uint16_t index;
	uint64_t size; // bytes
	int fd;        // owned by the caller
};

// Rounds `octets` up to whole pages.
uint64_t drb_memif_whole_pages(uint64_t octets);
// Returns the most bytes that this number of pairs of rings may take, with descriptors and buffers
// as here.
uint64_t drb_memif_memory_most(uint32_t pairs);

// Makes the only region, zeroed, and maps it, such that a server accepts it. Returns its
// descriptor, owned by the caller, or -errno.
int drb_memif_memory_make(struct drb_memif_memory *memory, uint64_t size);
// Maps one more region, unless the total then exceeds `most` bytes. Returns NULL, or why the region
// is refused.
const char *drb_memif_memory_add(struct drb_memif_memory *memory,
				 const struct drb_memif_region *said, uint64_t most);
void drb_memif_memory_free(struct drb_memif_memory *memory);
