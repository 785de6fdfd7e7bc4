// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// FIFO queues of 64-bit words, millions of them, in one region of memory. Each has a ring of
// DRB_FIFO_HOME words as its home, which is one cache line. A longer queue moves to a larger ring
// from a common pool, and returns. The owner keeps the lengths, where decisions read them.

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define DRB_FIFO_HOME 8

struct drb_fifo {
	uint32_t base; // first word of the ring
	uint32_t mask; // words in the ring - 1
	uint32_t head; // position of the oldest word, modulo the ring
};

// The region: homes first (fifo i at word i * DRB_FIFO_HOME), then rings of the pool.
struct drb_fifo_pool {
	// The region, page aligned; the kernel provides pages when they are first used.
	uint64_t *word;
	uint64_t used;     // words in use or in free lists, homes included
	uint64_t limit;    // words of the region
	uint32_t free[32]; // [log2 of the ring]: first free ring, chained through word 0; 0: none
	// The pool from which this one, a part, takes its rings. A part keeps them, so that each
	// thread has free rings of its own. NULL: this pool is no part.
	struct drb_fifo_pool *whole;
};

// Reserves address space of `bytes` for the homes of `fifos` queues; the rest is the pool. 0,
// -EINVAL if the homes do not fit (or need indices above 32 bits), or -ENOMEM.
int drb_fifo_pool_init(struct drb_fifo_pool *pool, uint64_t fifos, uint64_t bytes);
void drb_fifo_pool_free(struct drb_fifo_pool *pool);
// Returns a part, for queues that one thread uses at a time. The part is not freed.
struct drb_fifo_pool drb_fifo_pool_part(struct drb_fifo_pool *whole);

static inline struct drb_fifo drb_fifo_at_home(uint64_t fifo)
{
	return (struct drb_fifo){
		.base = (uint32_t)(fifo * DRB_FIFO_HOME), .mask = DRB_FIFO_HOME - 1, .head = 0};
}

// Moves q, whose ring is full, to a ring of twice the size. -ENOMEM: the pool is used up.
int drb_fifo_grow(struct drb_fifo_pool *pool, struct drb_fifo *q);
// Moves q, which has len <= DRB_FIFO_HOME words, back to its home.
void drb_fifo_go_home(struct drb_fifo_pool *pool, struct drb_fifo *q, uint64_t fifo, uint32_t len);

// Makes space for one more word in a queue of len words. Then the caller calls drb_fifo_put(). 0 or
// -ENOMEM.
static inline int drb_fifo_reserve(struct drb_fifo_pool *pool, struct drb_fifo *q, uint32_t len)
{
	return __builtin_expect(len > q->mask, 0) ? drb_fifo_grow(pool, q) : 0;
}

static inline void drb_fifo_put(struct drb_fifo_pool *pool, const struct drb_fifo *q, uint32_t len,
				uint64_t word)
{
	pool->word[q->base + ((q->head + len) & q->mask)] = word;
}

// Word i from the head; i must be less than the length.
static inline uint64_t drb_fifo_peek(const struct drb_fifo_pool *pool, const struct drb_fifo *q,
				     uint32_t i)
{
	return pool->word[q->base + ((q->head + i) & q->mask)];
}
