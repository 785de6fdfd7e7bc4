// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds frames that a host sends in another host's name, among the exceptions of a burst. Most
// frames are no exceptions: they are recognised at once as the host's own
// (drb_classifier_require()).

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Checks the exceptions of a burst that came in by a port whose source.active is set. Drops spoofed
// frames, and counts why. Moves frames that are ordinary traffic, now that their source is
// verified, to plain[DRB_BURST_MAX]; returns how many. *left: how many exceptions are left in the
// burst. exceptions.c checks source MACs.
uint32_t drb_source_check_exceptions(struct drb_worker *w, struct drb_burst *b,
				     struct rte_mbuf **plain, uint32_t *left);
