// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/lazy_pool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>
#include <rte_spinlock.h>

// At least so many are made at once: the page faults of what a worker is handed in one go.
#define AT_ONCE 32
// Memory comes in one piece, unless hugepages lie apart.
#define PIECES_MAX 32

// Memory of buffers that are not made yet.
struct piece {
	uint8_t *next;
	uint32_t left; // buffers
};

// In a pool's pool_data. Whoever holds the lock makes buffers.
struct lazy {
	struct rte_ring *made; // buffers that hold no packet
	rte_spinlock_t lock;
	rte_mempool_populate_obj_cb_t *add; // DPDK's, for each buffer that is made
	void *add_argument;
	uint32_t pieces, piece; // all; the one that is in use
	uint32_t left;          // buffers not made yet; read without the lock
	struct piece of[PIECES_MAX];
};

static int begin(struct rte_mempool *pool)
{
	struct lazy *l = calloc(1, sizeof(*l));
	char name[RTE_RING_NAMESIZE];

	if (!l)
		return -ENOMEM;
	snprintf(name, sizeof(name), "made_%s", pool->name);
	l->made = rte_ring_create(name, rte_align32pow2(pool->size + 1), pool->socket_id, 0);
	if (!l->made) {
		free(l);
		return -rte_errno;
	}
	rte_spinlock_init(&l->lock);
	pool->pool_data = l;
	return 0;
}

static void end(struct rte_mempool *pool)
{
	struct lazy *l = pool->pool_data;

	rte_ring_free(l->made);
	free(l);
}

// Remembers the memory, and touches none of it.
static int populate(struct rte_mempool *pool, unsigned most, void *at, rte_iova_t iova,
		    size_t length, rte_mempool_populate_obj_cb_t *add, void *argument)
{
	const uint32_t size = pool->header_size + pool->elt_size + pool->trailer_size;
	struct lazy *l = pool->pool_data;
	uint32_t count = (uint32_t)(length / size);

	(void)iova;
	count = count < most ? count : most;
	if (l->pieces == PIECES_MAX)
		return -ENOMEM;
	l->of[l->pieces++] = (struct piece){at, count};
	l->add = add;
	l->add_argument = argument;
	l->left += count;
	return (int)count;
}

static void make_one(struct rte_mempool *pool, struct lazy *l)
{
	while (l->of[l->piece].left == 0)
		l->piece++;
	struct piece *p = &l->of[l->piece];
	void *buffer = p->next + pool->header_size;

	l->add(pool, l->add_argument, buffer, RTE_BAD_IOVA);
	rte_pktmbuf_init(pool, NULL, buffer, pool->populated_size - 1);
	p->next += pool->header_size + pool->elt_size + pool->trailer_size;
	p->left--;
	rte_ring_enqueue(l->made, buffer);
}

// Makes what the ring lacks to hold `wanted` buffers, and some more. False if there is nothing left to make.
static bool make(struct rte_mempool *pool, struct lazy *l, uint32_t wanted)
{
	rte_spinlock_lock(&l->lock);
	const uint32_t left = l->left, there = rte_ring_count(l->made);
	uint32_t count = wanted > there + AT_ONCE ? wanted - there : AT_ONCE;

	count = count < left ? count : left;
	for (uint32_t i = 0; i < count; i++)
		make_one(pool, l);
	__atomic_store_n(&l->left, left - count, __ATOMIC_RELAXED);
	rte_spinlock_unlock(&l->lock);
	return count > 0;
}

static int give_back(struct rte_mempool *pool, void *const *buffers, unsigned count)
{
	struct lazy *l = pool->pool_data;

	return rte_ring_enqueue_bulk(l->made, buffers, count, NULL) == 0 ? -ENOBUFS : 0;
}

static int take(struct rte_mempool *pool, void **buffers, unsigned count)
{
	struct lazy *l = pool->pool_data;

	while (rte_ring_dequeue_bulk(l->made, buffers, count, NULL) == 0) {
		if (!make(pool, l, count))
			return -ENOBUFS;
	}
	return 0;
}

static unsigned count_free(const struct rte_mempool *pool)
{
	const struct lazy *l = pool->pool_data;

	return rte_ring_count(l->made) + __atomic_load_n(&l->left, __ATOMIC_RELAXED);
}

static const struct rte_mempool_ops lazy_ops = {
	.name = "drb_lazy",
	.alloc = begin,
	.free = end,
	.enqueue = give_back,
	.dequeue = take,
	.get_count = count_free,
	.populate = populate,
};

RTE_MEMPOOL_REGISTER_OPS(lazy_ops);

int drb_lazy_pool_use(struct rte_mempool *pool)
{
	return rte_mempool_set_ops_byname(pool, lazy_ops.name, NULL);
}
