// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a replay of foreign captures prints.

#include <inttypes.h>
#include <stdbool.h>

#include "common/cli/table.h"
#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"
#include "gen/replay/run.h"

struct foreign_report {
	uint32_t hosts;
	const struct recognised *by_host;
	const struct foreign_skipped *skipped;
	const struct replay_result *run;
};

// Prints one row a host, and one of all. True if everything that was sent arrived, once and where it
// should, and the receiver kept up.
bool foreign_report_print(const struct foreign_report *report, enum drb_format format);

uint64_t foreign_skipped_count(const struct foreign_skipped *s);

#define FOREIGN_OVERSIZE_CURE                                                                      \
	" (captured before segmentation? topo/fabric up --offloads off, or ethtool -K on the "     \
	"host that was captured)"
#define FOREIGN_SKIPPED_FORMAT                                                                     \
	"%" PRIu64 " are not IP, %" PRIu64 " malformed, %" PRIu64 " multicast, %" PRIu64           \
	" with both ends on one host, %" PRIu64 " longer than the interfaces take%s"
#define FOREIGN_SKIPPED_ARGUMENTS(s)                                                               \
	(s).not_ip, (s).malformed, (s).multicast, (s).same_host, (s).oversize,                     \
		(s).oversize ? FOREIGN_OVERSIZE_CURE : ""
