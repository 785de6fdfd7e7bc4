// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// First-in first-out queues of 64-bit words, millions of them, in one region of memory. Each has a
// ring of DRB_FIFO_HOME words of its own, one cache line, and moves to a larger ring from a common
// pool only while it is longer. The lengths live with the owner, where the decision reads them.

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define DRB_FIFO_HOME 8

struct drb_fifo {
	uint32_t base; // of the ring, in words
	uint32_t mask; // words in the ring - 1
	uint32_t head; // position of the oldest word, taken modulo the ring
};

// The region: homes first (fifo i at word i * DRB_FIFO_HOME), then rings from the pool.
struct drb_fifo_pool {
	uint64_t *word;    // the region, page aligned; pages are taken as they are touched
	uint64_t used;     // words given out, homes included
	uint64_t limit;    // words there are
	uint32_t free[32]; // by log2 of the ring: first free one, chained through word 0; 0: none
};

// Reserves the address space for fifos homes and as many pool words as fit into bytes.
// -EINVAL if bytes do not hold the homes (or the words exceed 32-bit indices), -ENOMEM.
int drb_fifo_pool_init(struct drb_fifo_pool *pool, uint64_t fifos, uint64_t bytes);
void drb_fifo_pool_free(struct drb_fifo_pool *pool);

static inline struct drb_fifo drb_fifo_at_home(uint64_t fifo)
{
	return (struct drb_fifo){
		.base = (uint32_t)(fifo * DRB_FIFO_HOME), .mask = DRB_FIFO_HOME - 1, .head = 0};
}

// Moves q, full with len words, to a ring of twice the size. -ENOMEM: the pool is used up.
int drb_fifo_grow(struct drb_fifo_pool *pool, struct drb_fifo *q);
// Moves q with len <= DRB_FIFO_HOME words back to its home.
void drb_fifo_go_home(struct drb_fifo_pool *pool, struct drb_fifo *q, uint64_t fifo, uint32_t len);

// Room for one more in a queue of len words; the caller then calls drb_fifo_put().
static inline int drb_fifo_reserve(struct drb_fifo_pool *pool, struct drb_fifo *q, uint32_t len)
{
	return __builtin_expect(len > q->mask, 0) ? drb_fifo_grow(pool, q) : 0;
}

static inline void drb_fifo_put(struct drb_fifo_pool *pool, const struct drb_fifo *q, uint32_t len,
				uint64_t word)
{
	pool->word[q->base + ((q->head + len) & q->mask)] = word;
}

// Word i from the head; meaningful for i < length only.
static inline uint64_t drb_fifo_peek(const struct drb_fifo_pool *pool, const struct drb_fifo *q,
				     uint32_t i)
{
	return pool->word[q->base + ((q->head + i) & q->mask)];
}
