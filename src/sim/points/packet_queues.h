// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues over time: the length of every queue, at regular intervals of slots.

#include "sim/engine/model.h"
#include "sim/models/packet.h"

struct sim_queues_row {
	uint32_t slot;
	struct sim_reals length; // packets; for the order see sim_queues_columns
};

extern const struct sim_column sim_queues_columns[];

// Like drb_packet_run(), and adds the queues as a part of the outcome. 0 or -ENOMEM.
int sim_run_with_queues(struct drb_packet_sim *sim, uint32_t every,
			struct drb_packet_result *result, struct sim_outcome *out);
#define SIM_QUEUES_PART 1
