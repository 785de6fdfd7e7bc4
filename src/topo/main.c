// SPDX-License-Identifier: BSD-3-Clause
// drbtopo: compiles (layers, arity, options) into lists, pictures and plans of a fat-tree.

#include "common/cli/verbs.h"

#include "topo/verbs.h"

const char *argp_program_version = "drbtopo " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"plan", "drbtopo plan", "write configs of switches, ip -batch files and plan.json",
		 topo_plan},
		{"graph", "drbtopo graph", "print the fabric for Graphviz dot", topo_graph},
		{"commands", "drbtopo commands", "print the commands that run one switch by hand",
		 topo_commands},
		{"list", "drbtopo list", "list switches, links or hosts", topo_list},
		{"schemes", "drbtopo schemes", "list the routing schemes", topo_schemes},
	};

	return drb_verbs_main("Plans fat-trees of drbswitch processes.", verbs,
			      sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
