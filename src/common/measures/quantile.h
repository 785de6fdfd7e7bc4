// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exact quantiles of stored samples. A run keeps its packets in memory anyway, so exactness costs
// only eight more bytes per packet. Pure.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int drb_quantile_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline void drb_quantile_sort(uint64_t *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), drb_quantile_order);
}

// The smallest sample such that at least per_mille thousandths of all samples are not larger
// (nearest rank). samples must be sorted, count >= 1, 1 <= per_mille <= 1000.
static inline uint64_t drb_quantile(const uint64_t *samples, size_t count, uint32_t per_mille)
{
	size_t rank = (size_t)(((unsigned __int128)count * per_mille + 999) / 1000);

	return samples[rank - 1];
}
