// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frames of a host that say they are another's are taken out of a burst before anything is decided.

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Drops them and counts why. For ports whose source.active is set; MACs are left to classification.
void drb_source_check_burst(struct drb_worker *w, struct drb_burst *b);
