// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Paths in the flow model that need a view of the whole network: optimal paths, and the better of
// two random paths. Trees must have all uplinks.

#include "sim/models/flow.h"

// Gives the flows of a draw paths such that no link has more than c (paper: "fat-tree is
// nonblocking to permutation flow"). Works layer by layer: each flow is an edge from the switch
// that it leaves upwards to the one at which it comes down. With c d colours, no two edges at a
// switch have the same colour (Koenig); c colours together are one uplink. 0 or -ENOMEM.
int drb_flow_optimal(const struct drb_flow_setup *setup, struct drb_flow_work *work,
		     struct drb_flow_result *result);

// Gives paths to the flows one after another. Each flow takes that of two random paths whose
// busiest link has fewer flows, or the first path if they are equal. Paper: the scheme of Yu and
// Deng, "Introduction". `run` is that of drb_flow_assign(). 0 or -ENOMEM.
int drb_flow_by_path(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work,
		     struct drb_flow_result *result);
