// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fabric/plan_json.h"

#include <stdlib.h>

#include "common/plan.h"

#include "plan/fabric/machines_json.h"

static json_t *checked(json_t *value)
{
	if (!value)
		abort();
	return value;
}

// Adds the path of a file, relative to plan.json: files of machines are in the machines' folders.
static void set_file(const struct plan *plan, json_t *node, const char *key, const char *file)
{
	const char *folder = plan->machines && !plan->machine
				     ? json_string_value(json_object_get(node, DRB_PLAN_MACHINE))
				     : NULL;

	json_object_set_new(node, key,
			    folder ? checked(json_sprintf("%s/%s", folder, file))
				   : checked(json_string(file)));
}

static json_t *node_json(const struct plan *plan, uint32_t layer, uint32_t label)
{
	char node[DRB_NAME_MAX], instance[DRB_NAME_MAX], file[DRB_NAME_MAX];
	uint32_t code[DRB_LAYERS_MAX], digits = drb_code(&plan->topo.tree, layer, label, code);
	json_t *list = checked(json_array());

	for (uint32_t i = 0; i < digits; i++)
		json_array_append_new(list, checked(json_integer(code[i])));
	drb_node_name(node, layer, label);
	drb_instance_name(instance, plan->topo.fabric, layer, label);
	json_t *json =
		checked(json_pack("{ss ss si so}", DRB_PLAN_NAME, node, DRB_PLAN_NAMESPACE,
				  instance, DRB_PLAN_LABEL, (int)label, DRB_PLAN_CODE, list));
	if (plan->machines) {
		const struct drb_end end = {.layer = layer, .label = label};
		json_object_set_new(json, DRB_PLAN_MACHINE,
				    checked(json_string(plan_machine(plan, &end)->name)));
	}
	if (plan_has(plan, layer, label)) {
		plan_batch_name(file, layer, label);
		set_file(plan, json, DRB_PLAN_BATCH, file);
	}
	return json;
}

static json_t *switches_json(const struct plan *plan)
{
	const struct drb_tree *t = &plan->topo.tree;
	json_t *switches = checked(json_array());

	for (uint32_t m = 1; m <= t->layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
			if (!plan_has(plan, m, s))
				continue;
			json_t *node = node_json(plan, m, s);
			char config[DRB_NAME_MAX];
			plan_config_name(config, m, s);
			json_object_set_new(node, DRB_PLAN_LAYER, checked(json_integer(m)));
			set_file(plan, node, DRB_PLAN_CONFIG, config);
			json_array_append_new(switches, node);
		}
	}
	return switches;
}

// The hosts in this plan (has), or the hosts that are elsewhere.
static json_t *hosts_json(const struct plan *plan, bool has)
{
	json_t *hosts = checked(json_array());

	for (uint32_t h = 0; h < plan->topo.tree.hosts; h++) {
		if (plan_has(plan, 0, h) != has)
			continue;
		json_t *node = node_json(plan, 0, h);
		char text[TOPO_ADDR_MAX];
		topo_mac(text, &plan->topo, h);
		json_object_set_new(node, DRB_PLAN_MAC, checked(json_string(text)));
		topo_ipv4(text, &plan->topo, h);
		json_object_set_new(node, DRB_PLAN_IPV4, checked(json_string(text)));
		topo_ipv6(text, &plan->topo, h);
		json_object_set_new(node, DRB_PLAN_IPV6, checked(json_string(text)));
		json_array_append_new(hosts, node);
	}
	return hosts;
}

static void add_interfaces(const struct plan *plan, const struct topo_link *link, json_t *json)
{
	json_object_set_new(json, DRB_PLAN_LOWER_INTERFACE,
			    checked(json_string(plan_interface(plan, link, &link->lower))));
	json_object_set_new(json, DRB_PLAN_UPPER_INTERFACE,
			    checked(json_string(plan_interface(plan, link, &link->upper))));
}

static json_t *links_json(const struct plan *plan)
{
	struct plan_walk walk = {0};
	struct topo_link link;
	uint32_t id;
	json_t *links = checked(json_array());

	while (plan_links_next(plan, &walk, &link, &id)) {
		enum plan_link kind = plan_link(plan, &link);
		char lower[DRB_NAME_MAX], lower_port[DRB_NAME_MAX];
		char upper[DRB_NAME_MAX], upper_port[DRB_NAME_MAX];
		drb_node_name(lower, link.lower.layer, link.lower.label);
		drb_end_port(lower_port, &link.lower);
		drb_node_name(upper, link.upper.layer, link.upper.label);
		drb_end_port(upper_port, &link.upper);
		json_t *json = checked(json_pack("{ss ss ss ss ss}", DRB_PLAN_LOWER, lower,
						 DRB_PLAN_LOWER_PORT, lower_port, DRB_PLAN_UPPER,
						 upper, DRB_PLAN_UPPER_PORT, upper_port,
						 DRB_PLAN_KIND, plan_link_name(kind)));
		if (kind != PLAN_VETH && kind != PLAN_MEMIF)
			json_object_set_new(json, DRB_PLAN_ID, checked(json_integer(id)));
		if (kind == PLAN_VLAN || kind == PLAN_CABLE)
			add_interfaces(plan, &link, json);
		json_array_append_new(links, json);
	}
	return links;
}

json_t *plan_json(const struct plan *plan)
{
	const struct topo *topo = &plan->topo;
	const struct drb_port_setup *link = &plan->link;
	const char *rate = drb_config_get(&plan->config, "link.rate");

	// The plan of all machines together is not executed, so it names no batch files.
	bool parts = plan->machines && !plan->machine;
	json_t *json = checked(json_pack(
		"{si ss ss si si si ss ss ss sf sb si si si ss* ss* ss* so so so}",
		DRB_PLAN_FORMAT_KEY, DRB_PLAN_FORMAT, DRB_PLAN_VERSION, DRB_VERSION,
		DRB_PLAN_FABRIC, topo->fabric, DRB_PLAN_LAYERS, (int)topo->tree.layers,
		DRB_PLAN_ARITY, (int)topo->tree.arity, DRB_PLAN_UPLINKS, (int)topo->tree.uplinks,
		DRB_PLAN_SCHEME, plan->scheme, DRB_PLAN_DRIVER, drb_driver_name(link->driver),
		DRB_PLAN_RATE, rate ? rate : "none", DRB_PLAN_RATE_VALUE, link->rate.value,
		DRB_PLAN_RATE_PER_PACKET, link->rate.per_packet, DRB_PLAN_MTU, (int)plan->mtu,
		DRB_PLAN_IPV4_LENGTH, (int)topo->addresses.ipv4_len, DRB_PLAN_IPV6_LENGTH,
		(int)topo->addresses.ipv6_len, DRB_PLAN_MEMIF_DIR, plan->memif_dir,
		DRB_PLAN_NAMESPACES, parts ? NULL : PLAN_NAMESPACES, DRB_PLAN_WIRES,
		parts ? NULL : PLAN_WIRES, DRB_PLAN_SWITCHES, switches_json(plan), DRB_PLAN_HOSTS,
		hosts_json(plan, true), DRB_PLAN_LINKS, links_json(plan)));
	if (plan->machines)
		plan_add_machines(plan, json);
	if (plan->machine)
		json_object_set_new(json, DRB_PLAN_ELSEWHERE, hosts_json(plan, false));
	return json;
}
