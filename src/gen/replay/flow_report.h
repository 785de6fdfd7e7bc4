// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What became of the flows of captures, and of each of their packets.

#include <stdio.h>

#include "common/cli/table.h"
#include "gen/captures/flows.h"
#include "gen/captures/recognise.h"
#include "gen/captures/trace.h"
#include "gen/replay/drop_places.h"

// A row for each flow of which something was sent, those that lost most first, then those that took longest;
// at most `most` rows. Returns how many were left out.
size_t flow_report_print(FILE *out, enum drb_format format, const struct flows *flows,
			 const struct drop_places *places, size_t most);

// What was replayed: paths of the files of the trace.
struct flow_records {
	const struct trace *trace;
	const struct flows *flows;
	const struct recogniser *recogniser;
	char *const *paths;
};

// CSV, a row for each sending, by flow and time: where it was captured, its flow, when it was sent (CLOCK_MONOTONIC),
// what became of it (arrived, lost, unknown), and when it arrived, where that is certain.
void flow_records_write(FILE *out, const struct flow_records *r);
// Percentiles of latencies, as records_write_hgrm(). 0 or -ENOMEM.
int flow_records_write_hgrm(FILE *out, const struct flow_records *r);
