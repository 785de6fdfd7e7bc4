// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What would need a view of the whole network, in the flow model: the best paths there are, and paths chosen whole.
// Trees have all uplinks.

#include "sim/models/flow.h"

// Gives the flows of a draw paths such that no link has more than c. Paper: "fat-tree is nonblocking to permutation
// flow". Layer by layer: flows are edges between the switches that they leave upwards and those at which they come
// down; coloured by c d colours, of which no two at a switch are equal (Koenig), c of them are an uplink. 0 or -ENOMEM.
int drb_flow_optimal(const struct drb_flow_setup *setup, struct drb_flow_work *work,
		     struct drb_flow_result *result);

// Gives each flow, one after another, that of two random paths whose busiest link has fewer flows; the first if they are
// equal. Paper: the scheme of Yu and Deng, "Introduction". Runs are as those of drb_flow_assign(). 0 or -ENOMEM.
int drb_flow_by_path(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work,
		     struct drb_flow_result *result);
