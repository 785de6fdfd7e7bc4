// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/fabric_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/machines/cables.h"
#include "plan/machines/split.h"

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

enum plan_link plan_link(const struct plan *plan, const struct topo_link *link)
{
	if (plan->machines && machines_crosses(&plan->topo.tree, plan->machines, link)) {
		const struct cable *cable = cables_find(plan->machines, link);
		if (cable)
			return cable->vlan ? PLAN_VLAN : PLAN_CABLE;
		return plan->machines->links == MACHINES_VLAN ? PLAN_VLAN : PLAN_VXLAN;
	}
	return plan->memif && link->lower.layer > 0 ? PLAN_MEMIF : PLAN_VETH;
}

const char *plan_link_name(enum plan_link kind)
{
	static const char *const names[] = {[PLAN_VETH] = "veth",
					    [PLAN_MEMIF] = "memif",
					    [PLAN_VXLAN] = "vxlan",
					    [PLAN_VLAN] = "vlan",
					    [PLAN_CABLE] = "cable"};

	return names[kind];
}

bool plan_has(const struct plan *plan, uint32_t layer, uint32_t label)
{
	const struct drb_end end = {.layer = layer, .label = label};

	return !plan->machine || plan_machine(plan, &end) == plan->machine;
}

const struct machine *plan_machine(const struct plan *plan, const struct drb_end *end)
{
	return &plan->machines->machine[machines_of(&plan->topo.tree, plan->machines, end->layer,
						    end->label)];
}

const char *plan_interface(const struct plan *plan, const struct topo_link *link,
			   const struct drb_end *end)
{
	const struct cable *cable = cables_find(plan->machines, link);

	return cable ? cable->interface[end->up ? 0 : 1] : plan_machine(plan, end)->interface;
}

// The VNI or VLAN of a link between machines; crossed: the number of such links before it.
static uint32_t id_of(const struct machines *m, const struct topo_link *link, uint32_t crossed)
{
	const struct cable *cable = cables_find(m, link);

	return cable && cable->vlan ? cable->vlan : m->first_id + crossed;
}

bool plan_links_next(const struct plan *plan, struct plan_walk *walk, struct topo_link *link,
		     uint32_t *id)
{
	walk->links.tree = &plan->topo.tree;
	while (topo_links_next(&walk->links, link)) {
		if (plan->machines && machines_crosses(&plan->topo.tree, plan->machines, link))
			*id = id_of(plan->machines, link, walk->crossed++);
		if (plan_has(plan, link->lower.layer, link->lower.label) ||
		    plan_has(plan, link->upper.layer, link->upper.label))
			return true;
	}
	return false;
}

char *plan_path(const struct plan *plan, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", plan->out, name) < 0)
		abort();
	return path;
}
