// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/fifo.h"

#include <sys/mman.h>

int drb_fifo_pool_init(struct drb_fifo_pool *pool, uint64_t fifos, uint64_t bytes)
{
	uint64_t homes = fifos * DRB_FIFO_HOME;
	uint64_t words = bytes / sizeof(uint64_t);

	if (words > UINT32_MAX)
		words = UINT32_MAX;
	if (homes > words)
		return -EINVAL;
	void *region = mmap(NULL, words * sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		return -ENOMEM;
	*pool = (struct drb_fifo_pool){.word = region, .used = homes, .limit = words};
	return 0;
}

void drb_fifo_pool_free(struct drb_fifo_pool *pool)
{
	if (pool->word)
		munmap(pool->word, pool->limit * sizeof(uint64_t));
	pool->word = NULL;
}

struct drb_fifo_pool drb_fifo_pool_part(struct drb_fifo_pool *whole)
{
	return (struct drb_fifo_pool){.word = whole->word, .limit = whole->limit, .whole = whole};
}

static uint32_t class_of(uint32_t mask)
{
	return 31 - (uint32_t)__builtin_clz(mask + 1);
}

// Takes a ring of mask + 1 words from the pool. 0: the pool has none.
static uint32_t ring_take(struct drb_fifo_pool *pool, uint32_t mask)
{
	uint32_t *free = &pool->free[class_of(mask)], base = *free;

	if (base) {
		*free = (uint32_t)pool->word[base];
		return base;
	}
	if (pool->whole) {
		const uint64_t at =
			__atomic_fetch_add(&pool->whole->used, mask + 1, __ATOMIC_RELAXED);
		return at + mask + 1 > pool->limit ? 0 : (uint32_t)at;
	}
	if (pool->used + mask + 1 > pool->limit)
		return 0;
	base = (uint32_t)pool->used;
	pool->used += (uint64_t)mask + 1;
	return base;
}

static void give_back(struct drb_fifo_pool *pool, const struct drb_fifo *q)
{
	uint32_t *free = &pool->free[class_of(q->mask)];

	if (q->mask + 1 == DRB_FIFO_HOME)
		return;
	pool->word[q->base] = *free;
	*free = q->base;
}

static void move(struct drb_fifo_pool *pool, struct drb_fifo *q, uint32_t base, uint32_t mask,
		 uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		pool->word[base + i] = drb_fifo_peek(pool, q, i);
	give_back(pool, q);
	*q = (struct drb_fifo){.base = base, .mask = mask, .head = 0};
}

int drb_fifo_grow(struct drb_fifo_pool *pool, struct drb_fifo *q)
{
	uint32_t mask = 2 * q->mask + 1;
	uint32_t base = mask < UINT32_C(1) << 30 ? ring_take(pool, mask) : 0;

	if (!base)
		return -ENOMEM;
	move(pool, q, base, mask, q->mask + 1);
	return 0;
}

void drb_fifo_go_home(struct drb_fifo_pool *pool, struct drb_fifo *q, uint64_t fifo, uint32_t len)
{
	move(pool, q, drb_fifo_at_home(fifo).base, DRB_FIFO_HOME - 1, len);
}
