// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Equal runs of the packet model with different seeds, as one result; and what tables say of them.

#include "common/cli/table.h"

#include "sim/models/packet.h"
#include "sim/runs/sample.h"

// The mean of each figure, or where it is a largest one the largest. Queues grow if they do in any run.
struct sim_packet_mean {
	struct drb_packet_result result;
	struct sim_sample latency, tail;
};

struct sim_packet_mean sim_packet_mean_of(const struct drb_packet_result result[], uint32_t runs);

// The cells of a run, with the detail if the setup asks for it; and those of a link.
void sim_packet_row(struct drb_table *table, const struct drb_packet_setup *setup,
		    const struct drb_packet_result *result);
void sim_put_link(struct drb_table *table, const struct drb_tree *t,
		  const struct drb_link_figures *link);
