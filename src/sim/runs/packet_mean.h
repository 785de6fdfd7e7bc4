// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Equal runs of the packet model with different seeds, as one result; and their links.

#include "common/cli/table.h"

#include "sim/models/packet.h"
#include "sim/runs/sample.h"

// The mean of each figure, or where it is a largest one the largest. Queues grow if they do in any run.
struct sim_packet_mean {
	struct drb_packet_result result;
	struct sim_sample latency, tail;
};

struct sim_packet_mean sim_packet_mean_of(const struct drb_packet_result result[], uint32_t runs);

// The columns of a link, behind those of the run that it is from, and its row.
#define SIM_LINK_COLUMNS                                                                           \
	{"layer", NULL, DRB_COUNT, 0}, {"switch", NULL, DRB_TEXT, 0}, {"port", NULL, DRB_TEXT, 0}, \
		{"peer", NULL, DRB_TEXT, 0}, {"use", NULL, DRB_REAL, 3},                           \
		{"queue_mean", "mean queue", DRB_REAL, 2}, {"queue_max", "longest", DRB_COUNT, 0}, \
	{                                                                                          \
		"growing", NULL, DRB_TEXT, 0                                                       \
	}
void sim_put_link(struct drb_table *table, const struct drb_tree *t,
		  const struct drb_link_figures *link);
