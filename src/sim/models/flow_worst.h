// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The worst permutation for D-mod-k in the flow model. Paper: "about sqrt(N) pairs use the same
// links under any deterministic routing scheme", section 2.1. Trees must have all uplinks and at
// least two layers.

#include "sim/models/flow.h"

// The most flows of a permutation on one uplink under D-mod-k. Below a switch of layer m are d^m
// hosts. There are N / d^m - 1 hosts that are not below it and whose m lowest digits lead to this
// uplink. An uplink of the layer carries at most the smaller of these two numbers. The result is
// the maximum over all layers.
uint32_t drb_flow_worst(const struct drb_tree *t);
// Writes such a permutation into the list of flows, in random order; all other pairs are random. c
// must be 1. 0 or -ENOMEM.
int drb_flow_draw_worst(const struct drb_flow_setup *setup, uint32_t run,
			struct drb_flow_work *work);
