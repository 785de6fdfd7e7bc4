// SPDX-License-Identifier: BSD-3-Clause
// drbtopo graph: prints the fabric for Graphviz dot, with one rank per layer and the core on top.

#include "plan/verbs.h"

#include <stdio.h>

#include "common/cli/log.h"

#include "plan/topo.h"

struct graph {
	struct topo topo;
	bool ports, no_hosts;
};

static void print_layer(const struct graph *graph, uint32_t layer)
{
	const struct drb_tree *t = &graph->topo.tree;
	uint32_t nodes = layer == 0 ? t->hosts : drb_tree_switches(t, layer);

	printf("  { rank=same; node [shape=%s];\n", layer == 0 ? "plaintext" : "box");
	for (uint32_t i = 0; i < nodes; i++) {
		char name[DRB_NAME_MAX], code[DRB_CODE_MAX];
		drb_node_name(name, layer, i);
		drb_code_text(code, t, layer, i);
		printf("    \"%s\" [label=\"%s\\n%s\"];\n", name, name, code);
	}
	// Invisible edges keep the nodes of a rank in the order of their labels.
	if (nodes > 1) {
		printf("   ");
		for (uint32_t i = 0; i < nodes; i++) {
			char name[DRB_NAME_MAX];
			drb_node_name(name, layer, i);
			printf("%s \"%s\"", i ? " --" : "", name);
		}
		printf(" [style=invis];\n");
	}
	printf("  }\n");
}

static void print_link(const struct graph *graph, const struct topo_link *link)
{
	char lower[DRB_NAME_MAX], upper[DRB_NAME_MAX];

	drb_node_name(lower, link->lower.layer, link->lower.label);
	drb_node_name(upper, link->upper.layer, link->upper.label);
	printf("  \"%s\" -- \"%s\"", lower, upper);
	if (graph->ports) {
		drb_end_port(lower, &link->lower);
		drb_end_port(upper, &link->upper);
		printf(" [taillabel=\"%s\", headlabel=\"%s\"]", lower, upper);
	}
	printf(";\n");
}

#define AT(field) offsetof(struct graph, field)

static const struct drb_option options[] = {
	{"--ports", NULL, "Name the port at each end of a link", .kind = DRB_OPTION_FLAG,
	 AT(ports)},
	{"--no-hosts", NULL, "Leave out the hosts", .kind = DRB_OPTION_FLAG, AT(no_hosts)},
	{0},
};

int topo_graph(int argc, char **argv)
{
	struct graph graph = {0};
	const struct drb_options sets[] = {TOPO_SET(&graph.topo), {.option = options, &graph}, {0}};

	drb_options_parse(sets,
			  "Prints a fabric for Graphviz dot: drbtopo graph -l 3 -d 2 | dot -Tsvg "
			  "> fabric.svg",
			  argc, argv);

	struct topo_links walk = {.tree = &graph.topo.tree};
	struct topo_link link;
	printf("graph \"%s\" {\n  rankdir=BT; ranksep=1; node [fontsize=10]; edge [fontsize=8];\n",
	       graph.topo.fabric);
	for (uint32_t m = graph.no_hosts ? 1 : 0; m <= graph.topo.tree.layers; m++)
		print_layer(&graph, m);
	while (topo_links_next(&walk, &link)) {
		if (link.lower.layer > 0 || !graph.no_hosts)
			print_link(&graph, &link);
	}
	printf("}\n");
	return DRB_EXIT_OK;
}
