// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fate of the flows of captures, and of each of their packets.

#include <stdio.h>

#include "common/cli/table.h"
#include "gen/captures/flows.h"
#include "gen/captures/recognise.h"
#include "gen/captures/trace.h"
#include "gen/replay/drop_places.h"

// Prints a row for each flow with packets sent, at most `most` rows. Flows that lost most come
// first, then flows with the largest latencies. Returns the number of flows left out.
size_t flow_report_print(FILE *out, enum drb_format format, const struct flows *flows,
			 const struct drop_places *places, size_t most);

// The replayed packets. paths: of the files of the trace.
struct flow_records {
	const struct trace *trace;
	const struct flows *flows;
	const struct recogniser *recogniser;
	char *const *paths;
};

// Writes CSV with a row for each sending, by flow and time. A row has the packet's file and number,
// its flow, the time of sending (CLOCK_MONOTONIC) and its fate: arrived, lost or unknown. It has
// the time of arrival if that is certain.
void flow_records_write(FILE *out, const struct flow_records *r);
// Writes percentiles of latencies, like records_write_hgrm(). 0 or -ENOMEM.
int flow_records_write_hgrm(FILE *out, const struct flow_records *r);
