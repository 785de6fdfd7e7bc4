// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options of what links are like: --fail, --slow, --delay, --stale.

#include "common/cli/options.h"

#include "sim/models/delay.h"
#include "sim/models/failure.h"
#include "sim/models/slow.h"

struct sim_timing {
	struct drb_fail fail;
	struct drb_slow slow;
	struct drb_delay delay;
	uint32_t delays; // that were given: 1 for all links, or one for each layer
};

// Of options with an argument link:N:K, K from `least` to `most`: links between switches, at random.
void sim_parse_links(const struct drb_option *o, const char *text, uint32_t *links, uint32_t *k);
// Dies if there are not so many links between switches.
void sim_links_fit(const char *option, uint32_t links, const struct drb_tree *t);

extern const struct drb_option sim_timing_options[];
// Dies if they are not those of such a tree.
void sim_timing_fits(struct sim_timing *timing, const struct drb_tree *t);
