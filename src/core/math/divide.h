// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exact unsigned 32-bit division by a number known at start-up: one multiplication per packet
// instead of a division. Let M = floor(2^64 / n) + 1. Then floor(x * M / 2^64) = floor(x / n) for
// every 32-bit x and n >= 2. The error x * (M - 2^64/n) / 2^64 stays below 1/n. n = 1 is handled
// apart.

#include <stdint.h>

struct drb_div {
	uint64_t magic; // floor((2^64 - 1) / n) + 1; 0 for n = 1
	uint32_t unit;  // 1 for n = 1, so that the quotient is x itself; else 0
};

static inline struct drb_div drb_div_by(uint32_t n)
{
	if (n <= 1)
		return (struct drb_div){.magic = 0, .unit = 1};
	return (struct drb_div){.magic = UINT64_MAX / n + 1, .unit = 0};
}

static inline uint32_t drb_div(uint32_t x, const struct drb_div *by)
{
	return (uint32_t)(((unsigned __int128)by->magic * x) >> 64) + x * by->unit;
}
