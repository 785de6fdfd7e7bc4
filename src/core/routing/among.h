// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A decision while some uplinks are dead: as if they did not exist.

#include "drb/scheme.h"

typedef uint32_t drb_rule(const struct drb_decider *s, struct drb_loads loads,
			  struct drb_decision *d);

// Most uplinks that it takes.
#define DRB_USABLE_UPLINKS_MAX 64

// The uplink that a rule, which keeps nothing, chooses among those whose bits are set in usable: some, but not all.
// In place of a default that is left out there is a random one. A scheme that hashes flows moves only those of uplinks
// left out.
uint32_t drb_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
		   struct drb_decision *d, drb_rule *rule);
