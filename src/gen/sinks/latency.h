// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mean and quantiles of latencies. Pure.

#include <stddef.h>
#include <stdint.h>

#include "gen/sinks/tally.h"

// Of so many samples in ns, which get sorted; without any, all figures are NaN. No cohort tail.
struct latency latency_of(uint64_t *samples, size_t count);
