// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Every outcome of drb_choose() is a function of its 64-bit draw, through drb_scale32() of its
// upper and lower half (or of a hash of it). drb_scale32(bits, n) steps up at ceil(j 2^32 / n), so
// a half at every step for every n up to d, and just before it, meets every outcome there is.

#include <stdint.h>

#define DRAW_HALVES_MAX 2048

struct draws {
	uint32_t count;
	uint32_t half[DRAW_HALVES_MAX];
};

static inline uint32_t draw_step(uint32_t j, uint32_t n)
{
	return (uint32_t)((((uint64_t)j << 32) + n - 1) / n);
}

static inline struct draws draws_up_to(uint32_t d)
{
	struct draws s = {.count = 0};

	for (uint32_t n = 1; n <= d; n++) {
		for (uint32_t j = 0; j < n && s.count + 2 <= DRAW_HALVES_MAX; j++) {
			s.half[s.count++] = draw_step(j, n);
			s.half[s.count++] = draw_step(j, n) - 1; // j = 0: the largest value
		}
	}
	return s;
}

static inline uint32_t draws_total(const struct draws *s)
{
	return s->count * s->count;
}

static inline uint64_t draws_at(const struct draws *s, uint32_t i)
{
	return (uint64_t)s->half[i / s->count] << 32 | s->half[i % s->count];
}
