// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a replay of foreign captures prints.

#include <stdbool.h>

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
	uint64_t cut; // packets of which the captures have a part only
	const struct replay_result *run;
};

// Prints a row for each host, in a table those with figures, and one of all; in a table also latencies and the
// flows that fared worst. True if everything that was sent arrived, once and where it
// should, and the receiver kept up.
bool foreign_report_print(const struct foreign_report *report, enum drb_format format);
