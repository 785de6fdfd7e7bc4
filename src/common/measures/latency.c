// SPDX-License-Identifier: BSD-3-Clause
#include "common/measures/latency.h"

#include <math.h>

#include "common/measures/quantile.h"

struct drb_latency drb_latency_of(uint64_t *samples, size_t count)
{
	double sum = 0;

	if (count == 0)
		return (struct drb_latency){
			.mean = NAN, .p50 = NAN, .p99 = NAN, .p999 = NAN, .max = NAN, .tail = NAN};
	for (size_t i = 0; i < count; i++)
		sum += (double)samples[i];
	drb_quantile_sort(samples, count);
	return (struct drb_latency){.samples = count,
				    .mean = sum / (double)count,
				    .p50 = (double)drb_quantile(samples, count, 500),
				    .p99 = (double)drb_quantile(samples, count, 990),
				    .p999 = (double)drb_quantile(samples, count, 999),
				    .max = (double)samples[count - 1],
				    .tail = NAN};
}
