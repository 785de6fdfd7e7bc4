// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists the links of a simulation as rows of the engine.

#include "core/fabric/names.h"

#include "sim/engine/model.h"
#include "sim/flows/transfers.h"
#include "sim/models/packet.h"

struct sim_link_row {
	uint32_t layer;
	char name[DRB_NAME_MAX], port[DRB_NAME_MAX], peer[DRB_END_NAME_MAX];
	double use, queue_mean;
	uint32_t queue_max;
	uint64_t refused;
	const char *growing;
};

extern const struct sim_column sim_packet_link_columns[], sim_transfer_link_columns[];

#define SIM_LINKS_HELP "each link between switches or to a host, longest queues first"

// Write all links after a run, longest queues first, as a part of the outcome. 0 or -ENOMEM.
int sim_put_packet_links(const struct drb_tree *t, const struct drb_packet_sim *sim,
			 struct sim_outcome *out, uint32_t part);
int sim_put_transfer_links(const struct drb_tree *t, const struct drb_link_table *links,
			   struct sim_outcome *out, uint32_t part);
