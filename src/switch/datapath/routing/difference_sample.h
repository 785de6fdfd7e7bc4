// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What decisions against a threshold see, for a reader who wonders what T does.

#include "core/routing/threshold_two_choice.h"

#include "switch/datapath/worker.h"

// True if the decisions of this burst are recorded: of one burst in DRB_DIFFERENCE_EVERY. Once a
// burst.
static inline bool drb_sample_burst(struct drb_worker *w)
{
	if (__builtin_expect(w->unrecorded-- != 0, 1))
		return false;
	w->unrecorded = DRB_DIFFERENCE_EVERY - 1;
	return drb_scheme_has_threshold(w->choice.scheme) && w->choice.uplinks >= 2;
}

// So many decisions were made while no uplink had a load. Nothing if this burst is not recorded.
static inline void drb_sample_idle(struct drb_worker *w, uint32_t decisions)
{
	if (__builtin_expect(w->unrecorded == DRB_DIFFERENCE_EVERY - 1, 0) &&
	    drb_scheme_has_threshold(w->choice.scheme) && w->choice.uplinks >= 2)
		w->difference[DRB_DIFFERENCE_MAX] += decisions;
}

// A decision between def and the candidate that draw makes.
static inline void drb_sample_difference(struct drb_worker *w, const struct drb_choice *c,
					 const uint32_t *load, uint32_t def, uint64_t draw)
{
	uint32_t candidate = drb_candidate(c, (struct drb_loads){.at = load}, def, draw);
	int64_t difference = (int64_t)load[def] - load[candidate];

	if (difference > DRB_DIFFERENCE_MAX)
		difference = DRB_DIFFERENCE_MAX;
	if (difference < -DRB_DIFFERENCE_MAX)
		difference = -DRB_DIFFERENCE_MAX;
	w->difference[difference + DRB_DIFFERENCE_MAX]++;
}
