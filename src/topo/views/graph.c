// SPDX-License-Identifier: BSD-3-Clause
// drbtopo graph: the fabric for Graphviz dot, one rank a layer, the core on top.

#include "topo/verbs.h"

#include <stdio.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "topo/topo.h"

enum { KEY_PORTS = 0x100, KEY_NO_HOSTS };

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

static const struct argp_option options[] = {
	{"ports", KEY_PORTS, NULL, 0, "Name the port at each end of a link", 3},
	{"no-hosts", KEY_NO_HOSTS, NULL, 0, "Leave the hosts out", 3},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct graph *graph = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &graph->topo;
		return 0;
	case KEY_PORTS:
		graph->ports = true;
		return 0;
	case KEY_NO_HOSTS:
		graph->no_hosts = true;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is one argument too many", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int topo_graph(int argc, char **argv)
{
	static const struct argp_child children[] = {{&topo_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {.options = options,
					 .parser = parse,
					 .doc = "Prints a fabric in the language of Graphviz dot: "
						"drbtopo graph -l 3 -d 2 | dot -Tsvg > fabric.svg",
					 .children = children};
	struct graph graph = {0};

	drb_args_parse(&argp, argc, argv, 0, &graph);

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
