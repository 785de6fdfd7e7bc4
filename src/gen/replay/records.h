// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Latencies for other tools: a row for each packet, and a histogram in the format of HdrHistogram's
// tools.

#include <stdio.h>

#include "gen/sinks/score.h"

// Writes CSV: source, destination, sequence, slot, in_latencies, received_ns, latency_ns. The last
// two are empty for a packet that did not arrive; in_latencies is 0 for a packet that --warmup or
// --stats leaves out.
void records_write(FILE *out, const struct score *s);
// Writes percentiles of the latencies, in us (.hgrm). 0 or -ENOMEM.
int records_write_latencies(FILE *out, const struct score *s);
// The same for any latencies. Sorts ns[].
void records_write_hgrm(FILE *out, uint64_t *ns, size_t count);
