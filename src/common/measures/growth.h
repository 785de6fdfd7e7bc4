// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Decides whether the queue of a link grows as long as the traffic lasts: one rule for simulator
// and live fabric.
//
// The queue is read in the middle of the traffic and at its end, n slots apart. If a link is
// offered no more than it can carry, its queue rises only by chance. Arrivals of variance 1 per
// slot (independent hosts: less) make it a random walk, whose rise has a standard deviation of
// sqrt(n). If destinations last for s slots, arrivals have up to s times the variance.
//   yes      it rose by more than 4.5 sqrt(n s), and was never seen empty. At most one link without
//            overload in 150,000 (DRB_GROWTH_ONE_IN) does so, at any length
//   unclear  it rose by more than 1.5 sqrt(n s), and was never seen empty: a longer run decides
//   no       anything else, also a queue that grows by less than a packet in sqrt(n) / 4 slots
// A fabric grows if any of its links does. If some uplinks are dead or missing, all uplinks in use
// of a layer-1 switch also get a verdict together. d hosts send at most d packets a slot, so the
// sum of k saturated links has a variance of only k (1 - k/d) per slot. drb_growth_least() is the
// smallest overload that is detected.

#include <math.h>

#include "core/traffic/traffic.h"

#define DRB_GROWTH_SURE 4.5 // standard deviations; one link in DRB_GROWTH_ONE_IN may rise by more
#define DRB_GROWTH_ONE_IN 150000

enum drb_growth { DRB_GROWTH_NO, DRB_GROWTH_UNCLEAR, DRB_GROWTH_YES };

// rise: rise of a queue that was never seen empty, in packets. It does not include packets that are
// in the queue because the machine kept the link from sending them. slots: n s.
static inline enum drb_growth drb_growth_of_link(double rise, double slots)
{
	const double chance = sqrt(slots);

	return rise > DRB_GROWTH_SURE * chance ? DRB_GROWTH_YES
	       : rise > 1.5 * chance           ? DRB_GROWTH_UNCLEAR
					       : DRB_GROWTH_NO;
}

// The smallest overload of a link, as a share of its rate, that n slots detect if destinations last
// for s slots.
static inline double drb_growth_least(double n, uint32_t s)
{
	return DRB_GROWTH_SURE * sqrt(s / n);
}

// Returns s, the number of slots for which a destination lasts if the pattern draws destinations
// repeatedly.
static inline uint32_t drb_growth_lasting(const struct drb_traffic_kind *kind)
{
	return kind->pattern == DRB_PATTERN_EPOCH    ? kind->k
	       : kind->pattern == DRB_PATTERN_TRAINS ? 2 * kind->k // the length is geometric
	       : kind->pattern == DRB_PATTERN_JOBS   ? 10
						     : 1;
}

static inline const char *drb_growth_word(enum drb_growth growth)
{
	return growth == DRB_GROWTH_YES ? "yes" : growth == DRB_GROWTH_UNCLEAR ? "unclear" : "no";
}
