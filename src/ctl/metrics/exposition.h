// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Metrics as text: OpenMetrics 1.0, or the older Prometheus format 0.0.4, which differs in how
// counters are announced and in how it ends. Names and units follow the conventions of both: base
// units (seconds, bytes), `_total` for counters. Every counter of core/counters.h becomes a metric
// with its meaning as help text, so a new counter needs nothing here.

#include <stdio.h>

#include "ctl/metrics/poll.h"

enum metrics_format { METRICS_OPENMETRICS, METRICS_PROMETHEUS };

// The value of the HTTP header Content-Type.
const char *metrics_content_type(enum metrics_format format);

// False: no memory; nothing is written.
bool metrics_write(FILE *out, enum metrics_format format, const struct metrics_poll *poll);
