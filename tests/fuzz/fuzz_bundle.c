// SPDX-License-Identifier: BSD-3-Clause
// Any octets as a bundle: it is refused, or every packet of it is within it, in one piece and in buffers of slots
// alike.
#include "fuzz.h"

#include "fixtures/switch_eal.h"
#include "switch/ports/bundle.h"
#include "switch/ports/unfinished.h"

#define SLOT 1528

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	require(start_eal() == 0);
	return 0;
}

static uint32_t open_slots(const uint8_t *data, uint32_t size, struct rte_mbuf **packets)
{
	struct rte_mbuf *slots[DRB_BUNDLE_SLOTS];
	const uint32_t count = (size + SLOT - 1) / SLOT;

	require(rte_pktmbuf_alloc_bulk(test_pool, slots, count) == 0);
	for (uint32_t i = 0; i < count; i++)
		memcpy(rte_pktmbuf_mtod(slots[i], void *), data + i * SLOT,
		       i + 1 < count ? SLOT : size - i * SLOT);
	return drb_bundle_open(slots, count, test_pool, packets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rte_mbuf *one[DRB_BUNDLE_PACKETS], *other[DRB_BUNDLE_PACKETS];

	if (size < sizeof(struct drb_bundle_head) || size > DRB_BUNDLE_SLOTS * SLOT)
		return 0;
	uint8_t *frame = malloc(size); // ends where the bundle does
	require(frame);
	memcpy(frame, data, size);
	uint32_t count =
		drb_bundle_check((const struct drb_bundle_head *)frame, (uint32_t)size, SLOT);
	if (count > 0) {
		require(drb_bundle_copy(frame, SLOT, test_pool, one) == count);
		require(open_slots(frame, (uint32_t)size, other) == count);
		for (uint32_t i = 0; i < count; i++) {
			require(one[i]->data_len <= SLOT && one[i]->data_len == other[i]->data_len);
			require(memcmp(rte_pktmbuf_mtod(one[i], void *),
				       rte_pktmbuf_mtod(other[i], void *), one[i]->data_len) == 0);
		}
		drb_finish_checksums(one, count);
		rte_pktmbuf_free_bulk(one, count);
		rte_pktmbuf_free_bulk(other, count);
		require(rte_mempool_in_use_count(test_pool) == 0);
	}
	free(frame);
	return 0;
}
