// SPDX-License-Identifier: BSD-3-Clause
#include "gen/sinks/latency.h"

#include <math.h>

#include "gen/sinks/quantile.h"

struct latency latency_of(uint64_t *samples, size_t count)
{
	double sum = 0;

	if (count == 0)
		return (struct latency){
			.mean = NAN, .p50 = NAN, .p99 = NAN, .p999 = NAN, .max = NAN, .tail = NAN};
	for (size_t i = 0; i < count; i++)
		sum += (double)samples[i];
	quantile_sort(samples, count);
	return (struct latency){.samples = count,
				.mean = sum / (double)count,
				.p50 = (double)quantile(samples, count, 500),
				.p99 = (double)quantile(samples, count, 990),
				.p999 = (double)quantile(samples, count, 999),
				.max = (double)samples[count - 1],
				.tail = NAN};
}
