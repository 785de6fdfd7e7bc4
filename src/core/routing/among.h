// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Decisions while some uplinks are dead: a scheme decides as if these did not exist.

#include "drb/scheme.h"

typedef uint32_t drb_rule(const struct drb_decider *s, struct drb_loads loads,
			  struct drb_decision *d);

// The largest number of uplinks that drb_among() supports.
#define DRB_USABLE_UPLINKS_MAX 64

// The uplink that a rule without state chooses among those whose bits are set in usable: some, but
// not all. If the default is not usable, a random usable uplink replaces it. A scheme that hashes
// flows moves only the flows of unusable uplinks.
uint32_t drb_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
		   struct drb_decision *d, drb_rule *rule);
