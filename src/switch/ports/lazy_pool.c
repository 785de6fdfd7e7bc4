// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/lazy_pool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_spinlock.h>

// Buffers that are made at once, at least, so that a worker takes their page faults together.
#define AT_ONCE 32
// Memory is in one piece, unless hugepages are not contiguous.
#define PIECES_MAX 32

// Memory of buffers that are not made yet.
struct piece {
	uint8_t *next;
	uint32_t left; // buffers not made yet
};

// A pool's pool_data, written under its lock.
struct lazy {
	rte_spinlock_t lock;
	void **made;          // stack of free buffers, the last returned on top; owned
	uint32_t count, left; // in `made`; not made yet. Counters read both without the lock
	rte_mempool_populate_obj_cb_t *add; // DPDK's callback for each buffer that is made
	void *add_argument;
	uint32_t pieces, piece; // number of pieces; the current one
	struct piece of[PIECES_MAX];
};

static void count_set(uint32_t *count, uint32_t value)
{
	__atomic_store_n(count, value, __ATOMIC_RELAXED);
}

static int pool_begin(struct rte_mempool *pool)
{
	struct lazy *l = calloc(1, sizeof(*l));

	if (l)
		l->made = calloc(pool->size, sizeof(*l->made)); // pages exist once used
	if (!l || !l->made) {
		free(l);
		return -ENOMEM;
	}
	rte_spinlock_init(&l->lock);
	pool->pool_data = l;
	return 0;
}

static void pool_end(struct rte_mempool *pool)
{
	struct lazy *l = pool->pool_data;

	if (l) // DPDK calls this even if pool_begin() never ran
		free(l->made);
	free(l);
}

// Stores where the memory is, and touches none of it.
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
	count_set(&l->left, l->left + count);
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
	l->made[l->count] = buffer;
	count_set(&l->count, l->count + 1);
}

// Makes buffers until there are `wanted` free ones, and some more, as far as memory allows.
static void buffers_make(struct rte_mempool *pool, struct lazy *l, uint32_t wanted)
{
	uint32_t more = wanted > l->count + AT_ONCE ? wanted - l->count : AT_ONCE;

	more = more < l->left ? more : l->left;
	for (uint32_t i = 0; i < more; i++)
		make_one(pool, l);
	count_set(&l->left, l->left - more);
}

static int give_back(struct rte_mempool *pool, void *const *buffers, unsigned count)
{
	struct lazy *l = pool->pool_data;
	int rc = -ENOBUFS;

	rte_spinlock_lock(&l->lock);
	if (count <= pool->size - l->count) {
		memcpy(l->made + l->count, buffers, count * sizeof(*buffers));
		count_set(&l->count, l->count + count);
		rc = 0;
	}
	rte_spinlock_unlock(&l->lock);
	return rc;
}

static int buffers_take(struct rte_mempool *pool, void **buffers, unsigned count)
{
	struct lazy *l = pool->pool_data;
	int rc = -ENOBUFS;

	rte_spinlock_lock(&l->lock);
	if (l->count < count)
		buffers_make(pool, l, count);
	if (l->count >= count) {
		count_set(&l->count, l->count - count);
		memcpy(buffers, l->made + l->count, count * sizeof(*buffers));
		rc = 0;
	}
	rte_spinlock_unlock(&l->lock);
	return rc;
}

static unsigned count_free(const struct rte_mempool *pool)
{
	const struct lazy *l = pool->pool_data;

	return __atomic_load_n(&l->count, __ATOMIC_RELAXED) +
	       __atomic_load_n(&l->left, __ATOMIC_RELAXED);
}

static const struct rte_mempool_ops lazy_ops = {
	.name = "drb_lazy",
	.alloc = pool_begin,
	.free = pool_end,
	.enqueue = give_back,
	.dequeue = buffers_take,
	.get_count = count_free,
	.populate = populate,
};

RTE_MEMPOOL_REGISTER_OPS(lazy_ops);

int drb_lazy_pool_use(struct rte_mempool *pool)
{
	return rte_mempool_set_ops_byname(pool, lazy_ops.name, NULL);
}
