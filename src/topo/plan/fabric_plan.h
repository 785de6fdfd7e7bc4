// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A fabric as drbtopo plan was asked for it, and the names of the files that come out.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "common/config/format.h"

#include "topo/machines/machines.h"
#include "topo/topo.h"

struct plan {
	struct topo topo;
	struct drb_config_values config; // what all switches have in common; texts as given
	struct drb_port_setup link; // what it says of links; driver: of veths, af_packet or af_xdp
	unsigned memif;             // 1: links between switches of one machine are memif, not veths
	uint32_t
		mtu; // of hosts and switches: fabric.mtu, or less where machines are joined by less
	char mtu_text[12];
	char scheme[DRB_SCHEME_TEXT_MAX]; // routing.scheme, with the whole path of a shared object
	const char *out;                  // directory, NULL: plan.json to standard output only
	const char *run_dir;              // memif sockets go below it; NULL: as topo/fabric
	char *memif_dir;                  // owned
	const char *machines_file;
	struct machines *machines;     // split; NULL: all on one machine
	const struct machine *machine; // whose plan this is; NULL: of the whole fabric
};

// What a link is made of.
enum plan_link { PLAN_VETH, PLAN_MEMIF, PLAN_VXLAN, PLAN_VLAN, PLAN_CABLE };

// Names of files in the plan's directory.
#define PLAN_NAMESPACES "namespaces.batch"
#define PLAN_WIRES "wires.batch"
void plan_batch_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
void plan_config_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
// "DIR/NAME", to be freed. Aborts when memory runs out.
char *plan_path(const struct plan *plan, const char *name);

enum plan_link plan_link(const struct plan *plan, const struct topo_link *link);
const char *plan_link_name(enum plan_link kind);

// True if the node is on the plan's machine, or the plan has all.
bool plan_has(const struct plan *plan, uint32_t layer, uint32_t label);
// The machine of an end, of a plan for several.
const struct machine *plan_machine(const struct plan *plan, const struct drb_end *end);
// Of an end of a VLAN or cable, the machine's interface.
const char *plan_interface(const struct plan *plan, const struct topo_link *link,
			   const struct drb_end *end);
// The next link with an end that the plan has; *id is its VNI or VLAN if its ends are on two machines, of a cable
// a number.
struct plan_walk {
	struct topo_links links;
	uint32_t crossed; // links between machines so far, everybody's
};
bool plan_links_next(const struct plan *plan, struct plan_walk *walk, struct topo_link *link,
		     uint32_t *id);
