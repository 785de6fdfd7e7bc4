// SPDX-License-Identifier: BSD-3-Clause
// Frames in several buffers, which are joined into the first one.
#include "fixtures/unit.h"

#include <rte_mempool.h>

#include "core/math/random.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/join.h"

#define PARTS_MAX 5
#define ROOM 300 // bytes of data that a buffer of the small pool holds behind its headroom

static struct rte_mempool *small;

static int setup(void **state)
{
	if (setup_eal(state) != 0)
		return -1;
	small = rte_pktmbuf_pool_create("small", 511, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, 0);
	return small ? 0 : -1;
}

// A frame of parts with these sizes. Its bytes count from 0 on.
static struct rte_mbuf *frame_of(struct rte_mempool *pool, const uint16_t *sizes, uint32_t parts)
{
	struct rte_mbuf *first = NULL;
	uint32_t at = 0;

	for (uint32_t i = 0; i < parts; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
		assert_non_null(m);
		uint8_t *data = (uint8_t *)rte_pktmbuf_append(m, sizes[i]);
		assert_non_null(data);
		for (uint32_t k = 0; k < sizes[i]; k++)
			data[k] = (uint8_t)at++;
		if (!first)
			first = m;
		else
			assert_int_equal(rte_pktmbuf_chain(first, m), 0);
	}
	return first;
}

static void check_joined(struct rte_mempool *pool, const uint16_t *sizes, uint32_t parts,
			 uint32_t max)
{
	const unsigned free = rte_mempool_avail_count(pool);
	struct rte_mbuf *m = frame_of(pool, sizes, parts), *first = m;
	uint32_t length = m->pkt_len, room = (uint32_t)(m->buf_len - m->data_off);

	m = drb_join(m, max);
	length = RTE_MIN(length, RTE_MIN(max, room));
	assert_ptr_equal(m, first);
	assert_int_equal(m->pkt_len, length);
	assert_int_equal(m->data_len, length);
	assert_int_equal(m->nb_segs, 1);
	assert_null(m->next);
	for (uint32_t k = 0; k < length; k++)
		assert_int_equal(rte_pktmbuf_mtod(m, uint8_t *)[k], (uint8_t)k);
	assert_int_equal(rte_mempool_avail_count(pool), free - 1);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_avail_count(pool), free);
}

// Whatever the sizes of the parts, the frame has their bytes in order, at most as many as are
// wanted, and as the first buffer holds. The other buffers are free again.
TEST(frames_are_joined)
{
	struct drb_rng rng = drb_rng_seed(5, 0);
	uint16_t sizes[PARTS_MAX];

	for (uint32_t round = 0; round < 3000; round++) {
		const uint32_t parts = 1 + drb_rng_below(&rng, PARTS_MAX);
		uint32_t length = 0;
		for (uint32_t i = 0; i < parts; i++) {
			sizes[i] = (uint16_t)(1 + drb_rng_below(&rng, ROOM / 2));
			length += sizes[i];
		}
		check_joined(test_pool, sizes, parts, length - 1 + drb_rng_below(&rng, 3));
		check_joined(small, sizes, parts, UINT32_MAX);
	}
}

TEST(a_frame_may_fill_its_buffer)
{
	for (uint16_t last = ROOM - 101; last <= ROOM - 99; last++)
		check_joined(small, (const uint16_t[]){100, last}, 2, UINT32_MAX);
	check_joined(small, (const uint16_t[]){ROOM, ROOM}, 2, UINT32_MAX);
	check_joined(small, (const uint16_t[]){60, 1}, 2, 60);
	check_joined(small, (const uint16_t[]){60}, 1, 59);
}

TEST_MAIN(setup, free_eal)
