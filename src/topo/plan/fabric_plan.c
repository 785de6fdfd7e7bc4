// SPDX-License-Identifier: BSD-3-Clause
#include "topo/plan/fabric_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_batch_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label)
{
	drb_node_name(name, layer, label);
	strcat(name, ".batch");
}

void plan_config_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label)
{
	drb_node_name(name, layer, label);
	strcat(name, ".yaml");
}

bool plan_is_memif(const struct plan *plan, const struct topo_link *link)
{
	return plan->link.driver == DRB_DRIVER_MEMIF && link->lower.layer > 0;
}

char *plan_path(const struct plan *plan, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", plan->out, name) < 0)
		abort();
	return path;
}
