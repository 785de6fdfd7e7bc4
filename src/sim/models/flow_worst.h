// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The permutation that is worst for D-mod-k, in the flow model. Paper: "about sqrt(N) pairs use the same links under
// any deterministic routing scheme", section 2.1. Trees have all uplinks and two layers at least.

#include "sim/models/flow.h"

// The most flows of a permutation that are on one uplink under D-mod-k: those below a switch of layer m, d^m, that go
// to hosts not below it whose m lowest digits are those of the uplink: N / d^m - 1.
uint32_t drb_flow_worst(const struct drb_tree *t);
// Writes a permutation that has them into the list of flows, in random order; all other pairs are random. c is 1.
// 0 or -ENOMEM.
int drb_flow_draw_worst(const struct drb_flow_setup *setup, uint32_t run,
			struct drb_flow_work *work);
