// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A poll of all switches, and the sums over their ports from which drbctl watch has its rates.

#include "ctl/metrics/poll.h"

// Sums of one switch; DRB_UNKNOWN for sums that it does not report.
struct sample {
	const struct metrics_switch *who;
	uint64_t in_packets, out_packets, out_octets;
	uint64_t delivered; // packets out of ports to hosts
	uint64_t dropped;   // dropped or missed, without multicast that no switch answers
	uint64_t up_default, up_redirected;
	uint64_t deepest;         // packets in the longest queue
	const char *deepest_port; // "" if all are empty
};

struct samples {
	struct metrics_poll poll; // owned, like `at`, which has poll.count entries
	struct sample *at;
};

// Sums up samples->poll.
void samples_take(struct samples *samples);
void samples_free(struct samples *samples);
// The sample of the same process in an earlier poll; NULL if there is none.
const struct sample *sample_before(const struct samples *before, const struct sample *now);
