// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Metrics in the text format of Prometheus, version 0.0.4. Names and units follow its conventions:
// base units (seconds, bytes), `_total` for counters. Every counter of core/counters.h becomes a
// metric with its meaning as help text, so a new counter needs no change here.

#include <stdio.h>

#include "ctl/metrics/poll.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

// Writes all metrics of the poll. False: out of memory, and nothing is written.
bool metrics_write(FILE *out, const struct metrics_poll *poll);
