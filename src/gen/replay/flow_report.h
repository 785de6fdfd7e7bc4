// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fate of the flows of captures, and of each of their packets.

#include <stdio.h>

#include "common/cli/table.h"
#include "gen/captures/flows.h"
#include "gen/captures/recognise.h"
#include "gen/captures/trace.h"
#include "gen/replay/drop_places.h"

// Prints a row for each flow with packets sent: those that lost most first, then those that took
// longest; at most `most` rows. Returns the number of flows left out.
size_t flow_report_print(FILE *out, enum drb_format format, const struct flows *flows,
			 const struct drop_places *places, size_t most);

// The replayed packets. paths: of the files of the trace.
struct flow_records {
	const struct trace *trace;
	const struct flows *flows;
	const struct recogniser *recogniser;
	char *const *paths;
};

// Writes CSV with a row for each sending, by flow and time: where it was captured, its flow, when
// it was sent (CLOCK_MONOTONIC), its fate (arrived, lost, unknown), and when it arrived, if that is
// certain.
void flow_records_write(FILE *out, const struct flow_records *r);
// Writes percentiles of latencies, like records_write_hgrm(). 0 or -ENOMEM.
int flow_records_write_hgrm(FILE *out, const struct flow_records *r);
