// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The output of a replay of foreign captures.

#include <stdbool.h>
#include <stdio.h>

#include "common/cli/table.h"
#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"
#include "gen/replay/drop_places.h"
#include "gen/replay/run.h"

struct foreign_report {
	uint32_t hosts;
	const struct recognised *by_host;
	const struct foreign_traffic *traffic;
	const struct drop_places *places;
	uint64_t cut;        // packets that the captures have only in part
	const char *busiest; // table of the busiest links
	const struct replay_result *run;
	FILE *out;
};

// Prints a row for each host and one for all; a table leaves out hosts without figures, and also
// has latencies and the worst flows. True if every packet sent arrived, once and at the right host,
// and the receiver kept up.
bool foreign_report_print(const struct foreign_report *report, enum drb_format format);
