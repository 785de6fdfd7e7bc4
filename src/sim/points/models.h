// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All models of the engine.

#include "sim/engine/model.h"

extern const struct sim_model sim_packet_model, sim_flow_model, sim_transfer_model, sim_job_model,
	sim_list_model, sim_theory_model, sim_ctmc_model, sim_ctmc_layers_model,
	sim_transient_model, sim_bins_model, sim_tree_model;
// Ends with NULL.
extern const struct sim_model *const sim_models[];
