// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The verbs of drbtopo. Each takes its command line and returns an exit code.

int topo_list(int argc, char **argv);
int topo_graph(int argc, char **argv);
int topo_plan(int argc, char **argv);
int topo_commands(int argc, char **argv);
int topo_schemes(int argc, char **argv);
