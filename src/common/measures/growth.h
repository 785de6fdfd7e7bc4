// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the queue of a link grows for as long as the traffic lasts: one rule for simulator and live fabric.
//
// The queue is read half-way through the traffic and at its end, n slots apart. A link that is offered no
// more than it can carry has a queue that rises only by chance: arrivals of variance 1 a slot (independent
// hosts: less) make it a random walk, whose rise has a standard deviation of sqrt(n). If destinations last
// for s slots, arrivals have up to s times the variance.
//   yes      it rose by more than 4.5 sqrt(n s), and was never seen empty: of links without
//            overload, at most one in 150,000 does (DRB_GROWTH_ONE_IN), at any length
//   unclear  it rose by more than 1.5 sqrt(n s), and was never seen empty: a longer run decides
//   no       anything else, also a queue that grows by less than a packet in sqrt(n) / 4 slots
// A fabric grows if any of its links does.

#include <math.h>

#include "core/traffic/traffic.h"

#define DRB_GROWTH_SURE 4.5 // standard deviations, and of so many links one may rise by more
#define DRB_GROWTH_ONE_IN 150000

enum drb_growth { DRB_GROWTH_NO, DRB_GROWTH_UNCLEAR, DRB_GROWTH_YES };

// rise: of a queue that was never seen empty, in packets, without those that it holds because the machine kept the
// link from sending them. slots: n s.
static inline enum drb_growth drb_growth_of_link(double rise, double slots)
{
	const double chance = sqrt(slots);

	return rise > DRB_GROWTH_SURE * chance ? DRB_GROWTH_YES
	       : rise > 1.5 * chance           ? DRB_GROWTH_UNCLEAR
					       : DRB_GROWTH_NO;
}

// s: how many slots destinations last that are drawn again and again.
static inline uint32_t drb_growth_lasting(const struct drb_traffic_kind *kind)
{
	return kind->pattern == DRB_PATTERN_EPOCH  ? kind->k
	       : kind->pattern == DRB_PATTERN_JOBS ? 10
						   : 1;
}

static inline const char *drb_growth_word(enum drb_growth growth)
{
	return growth == DRB_GROWTH_YES ? "yes" : growth == DRB_GROWTH_UNCLEAR ? "unclear" : "no";
}
