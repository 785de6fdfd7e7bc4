// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbtopo plan: what is asked for, and the files that come out.

#include "topo/topo.h"

#include "common/config/config.h"
#include <jansson.h>

struct plan {
	struct topo topo;
	enum drb_driver driver; // af_packet, af_xdp or memif; hosts never hang on memif
	struct drb_rate rate;
	bool slotted;
	const char *out;          // directory, NULL: plan.json to standard output only
	const char *run_dir;      // memif sockets go below it; NULL: as topo/fabric
	char *memif_dir;          // owned
	struct drb_config config; // what all switches have in common
	// Storage behind the optional keys of config.
	uint32_t choices, tau, overhead, queue, memory, workers;
	uint64_t seed;
};

// The plan as JSON, see common/plan.h; a new reference. Aborts when memory runs out.
json_t *plan_json(const struct plan *plan);

// Names of files in the plan's directory.
#define PLAN_NAMESPACES "namespaces.batch"
#define PLAN_WIRES "wires.batch"
void plan_batch_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
void plan_config_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);

// True if this link is two memif ends instead of a veth pair.
bool plan_is_memif(const struct plan *plan, const struct topo_link *link);

// Write the ip -batch files and the configs into plan->out. 0, or -errno with a message printed;
// -EINVAL if a value is nothing a switch takes.
int plan_write_batches(const struct plan *plan);
int plan_write_configs(const struct plan *plan);
// What plan_write_configs() would refuse, without writing anything.
int plan_check_configs(const struct plan *plan);
// "DIR/NAME", to be freed. Aborts when memory runs out.
char *plan_path(const struct plan *plan, const char *name);
