// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Topology files of uet-htsim (`.topo`): full fat-trees. Tier t of the file is layer t + 1. Other
// topologies are refused with a message that names them, and so are settings without a counterpart
// here.

#include <stdio.h>

#include "core/fabric/tree.h"

#define DRB_TOPO_WHY_MAX 240

struct drb_topo {
	uint32_t layers, arity, uplinks; // uplinks: per layer-1 switch
	double gbit[DRB_LAYERS_MAX + 1]; // [layer]: speed of the links to it from below
	// [layer]: delay in ns of the links to it from below, and half the delays of the switches
	// at both ends. A path between hosts then takes as long as in the file.
	double latency_ns[DRB_LAYERS_MAX + 1];
};

// Reads a file, whose bytes need not be valid. 0, or -EINVAL with file, line and cause in `why`.
// `name` is for errors.
int drb_topo_read(const char *name, FILE *in, struct drb_topo *topo, char why[DRB_TOPO_WHY_MAX]);
