// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/models.h"

const struct sim_model *const sim_models[] = {
	&sim_packet_model,    &sim_flow_model,   &sim_transfer_model, &sim_job_model,
	&sim_list_model,      &sim_theory_model, &sim_ctmc_model,     &sim_ctmc_layers_model,
	&sim_transient_model, &sim_bins_model,   &sim_tree_model,     NULL,
};
