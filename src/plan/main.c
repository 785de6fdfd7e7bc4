// SPDX-License-Identifier: BSD-3-Clause
// drbtopo: compiles (layers, arity, options) into lists, pictures and plans of a fat-tree.

#include "common/cli/verbs.h"

#include "plan/verbs.h"

const char *argp_program_version = "drbtopo " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"plan", "drbtopo plan", "write configs of switches, ip -batch files and plan.json",
		 topo_plan,
		 "  drbtopo plan --rate 100Mbit --out plan\n"
		 "  drbtopo plan -d 4 --scheme walk\n"},
		{"graph", "drbtopo graph", "print the fabric for Graphviz dot", topo_graph,
		 "  drbtopo graph | dot -Tsvg >fabric.svg\n"},
		{"commands", "drbtopo commands", "print the commands that run one switch by hand",
		 topo_commands, "  drbtopo commands s1-0\n"},
		{"list", "drbtopo list", "list switches, links or hosts", topo_list,
		 "  drbtopo list\n"
		 "  drbtopo list hosts --csv\n"},
		{"schemes", "drbtopo schemes", "list the routing schemes", topo_schemes,
		 "  drbtopo schemes\n"},
	};

	return drb_verbs_main("Plans fat-trees of drbswitch processes.", verbs,
			      sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
