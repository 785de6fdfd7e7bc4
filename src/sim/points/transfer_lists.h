// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lists the transfers of a point instead of running it.

#include "sim/flows/list.h"

// point: of sim_transfer_model or sim_job_model. 0, or a negative errno for drb_list_wrong().
int sim_transfer_list(void *point, struct drb_list *list);
int sim_job_list(void *point, struct drb_list *list);
