// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A fabric as drbtopo plan was asked for it, and the names of the files that come out.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "common/config/format.h"

#include "topo/topo.h"

struct plan {
	struct topo topo;
	struct drb_config_values config; // what all switches have in common; texts as given
	// What it says of links. Driver af_packet, af_xdp or memif; hosts never hang on memif.
	struct drb_port_setup link;
	const char *out;     // directory, NULL: plan.json to standard output only
	const char *run_dir; // memif sockets go below it; NULL: as topo/fabric
	char *memif_dir;     // owned
};

// Names of files in the plan's directory.
#define PLAN_NAMESPACES "namespaces.batch"
#define PLAN_WIRES "wires.batch"
void plan_batch_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
void plan_config_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
// "DIR/NAME", to be freed. Aborts when memory runs out.
char *plan_path(const struct plan *plan, const char *name);

// True if this link is two memif ends instead of a veth pair.
bool plan_is_memif(const struct plan *plan, const struct topo_link *link);
