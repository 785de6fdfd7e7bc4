// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/machines_json.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/table.h"
#include "common/plan.h"

#include "plan/machines/split.h"

static json_t *checked(json_t *value)
{
	if (!value)
		abort();
	return value;
}

// Numbers of nodes and links of one machine.
struct part {
	uint64_t switches, hosts;
	uint64_t inside, out; // links within the machine, including those of hosts, and to others
};

static struct part machine_part(const struct plan *plan, const struct machine *machine)
{
	const struct drb_tree *t = &plan->topo.tree;
	uint64_t pod_hosts = t->hosts / (2 * t->arity), below = t->layers - 1;
	struct part part = {
		.switches = machine->cores,
		.hosts = machine->pods * pod_hosts,
	};

	for (uint32_t m = 1; m < t->layers; m++)
		part.switches +=
			(uint64_t)machine->pods * (drb_tree_switches(t, m) / (2 * t->arity));

	for (uint32_t i = 0; i < plan->machines->count; i++) {
		const struct machine *other = &plan->machines->machine[i];
		if (other != machine)
			part.out += machines_links_between(machine, other);
	}
	part.inside = part.hosts + (uint64_t)machine->pods * machine->cores;
	if (below > 1) // within the pods
		part.inside += machine->pods * (drb_tree_links(t) / (2 * t->arity)) * (below - 1);
	return part;
}

static json_t *machine_json(const struct plan *plan, const struct machine *m)
{
	const struct part part = machine_part(plan, m);

	return checked(json_pack("{ss ss si ss si ss si si sI sI sI sI}", DRB_PLAN_NAME, m->name,
				 "address", m->address, "share", (int)m->share, "ssh_user",
				 m->ssh_user, "ssh_port", (int)m->ssh_port, "command", m->command,
				 "pods", (int)m->pods, "core", (int)m->cores, DRB_PLAN_SWITCHES,
				 (json_int_t)part.switches, DRB_PLAN_HOSTS, (json_int_t)part.hosts,
				 DRB_PLAN_LINKS, (json_int_t)part.inside, "links_out",
				 (json_int_t)part.out));
}

static json_t *between_json(const struct machines *m)
{
	json_t *list = checked(json_array());

	for (uint32_t i = 0; i < m->count; i++) {
		for (uint32_t j = i + 1; j < m->count; j++) {
			const struct machine *a = &m->machine[i], *b = &m->machine[j];
			uint64_t links = machines_links_between(a, b);
			if (links == 0)
				continue;
			json_array_append_new(
				list,
				checked(json_pack("{s[ss] sI}", DRB_PLAN_MACHINES, a->name, b->name,
						  DRB_PLAN_LINKS, (json_int_t)links)));
		}
	}
	return list;
}

void plan_add_machines(const struct plan *plan, json_t *json)
{
	const struct machines *m = plan->machines;
	json_t *list = checked(json_array());

	json_object_set_new(json, DRB_PLAN_UDP_PORT, checked(json_integer(m->udp_port)));
	json_object_set_new(json, DRB_PLAN_UNDERLAY_MTU,
			    checked(json_integer(plan->mtu + machines_overhead(m))));
	if (!plan->machine) {
		for (uint32_t i = 0; i < m->count; i++)
			json_array_append_new(list, machine_json(plan, &m->machine[i]));
		json_object_set_new(json, DRB_PLAN_MACHINES, list);
		json_object_set_new(json, DRB_PLAN_BETWEEN, between_json(m));
		return;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		const struct machine *other = &m->machine[i];
		if (other != plan->machine && machines_links_between(plan->machine, other) > 0)
			json_array_append_new(list, checked(json_string(other->address)));
	}
	json_object_set_new(json, DRB_PLAN_REMOTES, list);
	json_object_set_new(json, DRB_PLAN_MACHINE, checked(json_string(plan->machine->name)));
}

static void print_machines(const struct plan *plan)
{
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE);

	for (uint32_t i = 0; i < plan->machines->count; i++) {
		const struct machine *m = &plan->machines->machine[i];
		const struct part part = machine_part(plan, m);
		drb_table_text(t, "machine", NULL, m->name);
		drb_table_text(t, "address", NULL, m->address);
		drb_table_count(t, "pods", NULL, m->pods);
		drb_table_count(t, "core", NULL, m->cores);
		drb_table_count(t, "switches", NULL, part.switches);
		drb_table_count(t, "hosts", NULL, part.hosts);
		drb_table_count(t, "inside", "links inside", part.inside);
		drb_table_count(t, "out", "links out", part.out);
		drb_table_row_end(t);
	}
	drb_table_end(t);
}

// The rate that this many links carry in one direction, as text; "-": links have no rate.
static void carried(const struct plan *plan, double links, char text[40])
{
	struct drb_rate rate = plan->link.rate;

	snprintf(text, 40, "-");
	if (rate.value > 0) {
		rate.value = round(rate.value * links);
		drb_format_rate(&rate, text, 40);
	}
}

static void print_between(const struct plan *plan)
{
	const struct drb_tree *tree = &plan->topo.tree;
	// The share of uniform traffic that leaves the pod, per uplink: a pod has u / d uplinks per
	// host.
	double leave = (tree->hosts - tree->hosts / (2.0 * tree->arity)) / (tree->hosts - 1.0);
	leave = fmin(1, drb_tree_uplink_load(tree, leave));
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE);

	for (uint32_t i = 0; i < plan->machines->count; i++) {
		for (uint32_t j = i + 1; j < plan->machines->count; j++) {
			const struct machine *a = &plan->machines->machine[i];
			const struct machine *b = &plan->machines->machine[j];
			double links = (double)machines_links_between(a, b);
			char text[40];
			drb_table_text(t, "from", NULL, a->name);
			drb_table_text(t, "to", NULL, b->name);
			drb_table_count(t, "links", NULL, (uint64_t)links);
			carried(plan, links, text);
			drb_table_text(t, "most", "at most, each way", text);
			carried(plan, links * leave, text);
			drb_table_text(t, "uniform", "hosts at full rate, uniform traffic", text);
			drb_table_row_end(t);
		}
	}
	drb_table_end(t);
}

void plan_print_machines(const struct plan *plan)
{
	print_machines(plan);
	if (plan->machines->count < 2)
		return;
	putchar('\n');
	print_between(plan);
}
