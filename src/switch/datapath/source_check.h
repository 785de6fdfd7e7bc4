// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds frames that a host sends in another's name, among those that classification put aside; most frames
// are recognised at once as the host's own (drb_classifier_require()).

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Looks at the exceptions of a burst that came in by a port whose source.active is set. Drops those that say they
// are another's, and counts why. Takes out those that are plain traffic once their source is known to be right:
// into plain, room for DRB_BURST_MAX; returns how many. *left: how many exceptions are left in the burst. MACs
// are for exceptions.c to judge.
uint32_t drb_source_check_exceptions(struct drb_worker *w, struct drb_burst *b,
				     struct rte_mbuf **plain, uint32_t *left);
