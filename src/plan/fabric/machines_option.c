// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/machines_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "common/config/complaint.h"

#include "plan/machines/cables.h"
#include "plan/machines/split.h"

static void check_ids(const struct plan *plan)
{
	const struct machines *m = plan->machines;
	uint32_t largest = m->links == MACHINES_VLAN ? MACHINES_VLAN_MAX : MACHINES_VNI_MAX;
	uint64_t links = machines_links_total(m);

	if (links == 0 || m->first_id + links - 1 <= largest)
		return;
	drb_config_bad(plan->machines_file, "first_id",
		       "%llu links between machines take ids from %u on, and the last one is %u",
		       (unsigned long long)links, m->first_id, largest);
	exit(DRB_EXIT_USAGE);
}

void plan_split(struct plan *plan)
{
	struct machines *m = malloc(sizeof(*m));
	uint32_t machine = 0;
	char key[32];

	if (!m)
		drb_die("out of memory");
	plan->machines = m;
	if (machines_load(plan->machines_file, m) < 0)
		exit(DRB_EXIT_USAGE);
	int rc = machines_split(&plan->topo.tree, m, &machine);
	if (rc == -ENOTSUP)
		drb_die("--machines: F(%u,%u) is one switch, which is not split",
			plan->topo.tree.layers, plan->topo.tree.arity);
	if (rc == -ENOMEM)
		drb_die("out of memory");
	if (rc == -EDOM) {
		snprintf(key, sizeof(key), "machines[%u].share", machine);
		drb_config_bad(plan->machines_file, key,
			       "%s gets nothing of F(%u,%u): raise its share or leave it out",
			       m->machine[machine].name, plan->topo.tree.layers,
			       plan->topo.tree.arity);
		exit(DRB_EXIT_USAGE);
	}
	// Clocks of two machines differ, so slots would begin at different times.
	if (m->count > 1 && plan->link.slotted)
		drb_die("--slotted: all links must share a clock, and machines have one each: "
			"leave it out, or plan for one machine");
	check_ids(plan);
	if (cables_load(plan->machines_file, &plan->topo.tree, m) < 0)
		exit(DRB_EXIT_USAGE);
}
