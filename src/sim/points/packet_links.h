// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists the links of a packet simulation as rows of the engine.

#include "core/fabric/names.h"

#include "sim/engine/model.h"
#include "sim/models/packet.h"

struct sim_link_row {
	uint32_t layer;
	char name[DRB_NAME_MAX], port[DRB_NAME_MAX], peer[DRB_END_NAME_MAX];
	double use, queue_mean;
	uint32_t queue_max;
	const char *growing;
};

extern const struct sim_column sim_link_columns[];

// Lists all links after a run, longest queues first, as the first part of the outcome. 0 or
// -ENOMEM.
int sim_list_links(const struct drb_tree *t, const struct drb_packet_sim *sim,
		   struct sim_outcome *out);
