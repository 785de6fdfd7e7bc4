// SPDX-License-Identifier: BSD-3-Clause
// drbtopo list: prints the fabric as tables.

#include "plan/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/format_option.h"
#include "common/cli/log.h"

#include "plan/topo.h"

struct list {
	struct topo topo;
	enum drb_format format;
	const char *what;
};

static void list_switches(const struct list *list)
{
	const struct drb_tree *t = &list->topo.tree;
	struct drb_table *table = drb_table_new(stdout, list->format);
	// Enough for "u0=s2-5.d1 " per port.
	size_t room = (size_t)2 * t->arity * 3 * DRB_NAME_MAX + 1;
	char *links = malloc(room);

	for (uint32_t m = 1; links && m <= t->layers; m++) {
		uint32_t down = drb_tree_down_ports(t, m), up = drb_tree_up_ports(t, m);
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
			char name[DRB_NAME_MAX], code[DRB_CODE_MAX], instance[DRB_NAME_MAX];
			size_t used = 0;
			for (uint32_t p = 0; p < down + up; p++) {
				bool is_up = p >= down;
				uint32_t port = is_up ? p - down : p;
				char own[DRB_NAME_MAX], peer[DRB_END_NAME_MAX];
				struct drb_end end = is_up ? drb_tree_up_peer(t, m, s, port)
							   : drb_tree_down_peer(t, m, s, port);
				drb_port_name(own, is_up, port);
				drb_end_name(peer, &end);
				used += (size_t)snprintf(links + used, room - used, "%s%s=%s",
							 p ? " " : "", own, peer);
			}
			drb_node_name(name, m, s);
			drb_code_text(code, t, m, s);
			drb_instance_name(instance, list->topo.fabric, m, s);
			drb_table_text(table, "switch", NULL, name);
			drb_table_count(table, "layer", NULL, m);
			drb_table_count(table, "label", NULL, s);
			drb_table_text(table, "code", NULL, code);
			drb_table_text(table, "instance", "", instance);
			drb_table_count(table, "down_ports", "down", down);
			drb_table_count(table, "up_ports", "up", up);
			drb_table_text(table, "links", NULL, links);
			drb_table_row_end(table);
		}
	}
	free(links);
	drb_table_end(table);
}

static void list_links(const struct list *list)
{
	static const char *const keys[][2] = {{"lower", "lower_port"}, {"upper", "upper_port"}};
	struct drb_table *table = drb_table_new(stdout, list->format);
	struct topo_links walk = {.tree = &list->topo.tree};
	struct topo_link link;

	while (topo_links_next(&walk, &link)) {
		const struct drb_end *ends[] = {&link.lower, &link.upper};
		for (int i = 0; i < 2; i++) {
			char name[DRB_NAME_MAX];
			drb_node_name(name, ends[i]->layer, ends[i]->label);
			drb_table_text(table, keys[i][0], NULL, name);
			drb_end_port(name, ends[i]);
			drb_table_text(table, keys[i][1], NULL, name);
		}
		drb_table_row_end(table);
	}
	drb_table_end(table);
}

static void list_hosts(const struct list *list)
{
	const struct topo *topo = &list->topo;
	struct drb_table *table = drb_table_new(stdout, list->format);

	for (uint32_t h = 0; h < topo->tree.hosts; h++) {
		struct drb_end peer = drb_tree_host_peer(&topo->tree, h);
		char name[DRB_NAME_MAX], code[DRB_CODE_MAX], addr[TOPO_ADDR_MAX];
		drb_node_name(name, 0, h);
		drb_table_text(table, "host", NULL, name);
		drb_table_count(table, "label", NULL, h);
		drb_code_text(code, &topo->tree, 0, h);
		drb_table_text(table, "code", NULL, code);
		topo_mac(addr, topo, h);
		drb_table_text(table, "mac", "MAC", addr);
		topo_ipv4(addr, topo, h);
		drb_table_text(table, "ipv4", "IPv4", addr);
		topo_ipv6(addr, topo, h);
		drb_table_text(table, "ipv6", "IPv6", addr);
		drb_node_name(name, peer.layer, peer.label);
		drb_table_text(table, "switch", NULL, name);
		drb_end_port(name, &peer);
		drb_table_text(table, "port", NULL, name);
		drb_instance_name(name, topo->fabric, 0, h);
		drb_table_text(table, "namespace", "", name);
		drb_table_row_end(table);
	}
	drb_table_end(table);
}

static const struct {
	const char *name;
	void (*print)(const struct list *list);
} kinds[] = {{"switches", list_switches}, {"links", list_links}, {"hosts", list_hosts}};

static const struct drb_option options[] = {
	{NULL, "[switches|links|hosts]", NULL, .kind = DRB_OPTION_TEXT,
	 offsetof(struct list, what)},
	{0},
};

int topo_list(int argc, char **argv)
{
	struct list list = {.format = DRB_FORMAT_TABLE};
	const struct drb_options sets[] = {TOPO_SET(&list.topo),
					   {.option = options, &list},
					   {.option = drb_format_options, &list.format},
					   {0}};

	drb_options_parse(sets,
			  "Prints a table: the switches of a fabric with label codes and links "
			  "(default), its links, or its hosts with addresses.",
			  argc, argv);
	if (!list.what)
		list.what = kinds[0].name;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, list.what) == 0) {
			kinds[i].print(&list);
			return DRB_EXIT_OK;
		}
	}
	drb_die("cannot list '%s': must be switches, links or hosts", list.what);
}
