// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Histogram of the load differences that decisions compare with T. It shows readers what another T
// would do.

#include "core/routing/candidates.h"

#include "switch/datapath/worker/decide_state.h"

// True if the decisions of this burst are recorded, as in one burst of DRB_DIFFERENCE_EVERY. Call
// once a burst.
static inline bool drb_sample_burst(struct drb_decide_state *s)
{
	if (__builtin_expect(s->unrecorded-- != 0, 1))
		return false;
	s->unrecorded = DRB_DIFFERENCE_EVERY - 1;
	return (s->choice.ops->needs & DRB_HAS_THRESHOLD) && s->choice.uplinks >= 2;
}

// Records a decision between d->def and the candidate that d->draw selects.
static inline void drb_sample_difference(struct drb_decide_state *s, const struct drb_choice *c,
					 const uint32_t *load, const struct drb_decision *d)
{
	uint32_t candidate = drb_candidate(c, (struct drb_loads){.at = load}, d->def, d->draw);
	int64_t difference = (int64_t)load[d->def] - load[candidate];

	if (difference > DRB_DIFFERENCE_MAX)
		difference = DRB_DIFFERENCE_MAX;
	if (difference < -DRB_DIFFERENCE_MAX)
		difference = -DRB_DIFFERENCE_MAX;
	s->difference[difference + DRB_DIFFERENCE_MAX]++;
}
