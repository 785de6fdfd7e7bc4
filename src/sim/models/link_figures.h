// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of links that a run reports.

#include "common/measures/growth.h"

#include "drb/tree.h"

// One link and the queue before it.
struct drb_link_figures {
	struct drb_end from;    // the port that sends
	double use, queue_mean; // share of the slots in use; packets
	uint32_t queue_max;     // packets
	uint64_t refused;       // packets of transfers that found the queue full
	enum drb_growth growing;
};

// The share of its capacity that a link between switches, or to a host, uses in the recorded slots:
// the mean and the largest of the links of one kind.
struct drb_link_use {
	double mean, max;
};
