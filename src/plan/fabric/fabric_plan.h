// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A fabric as the command line of drbtopo plan describes it, and the names of the plan's files.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "common/config/format.h"

#include "plan/machines/machines.h"
#include "plan/topo.h"

struct plan {
	struct topo topo;
	struct drb_config_values config; // values that all switches share; texts as given
	struct drb_port_setup link; // its section `link`; driver: of veths, af_packet or af_xdp
	unsigned memif;             // 1: links between switches of one machine are memif, not veths
	uint32_t mtu;               // bytes: fabric.mtu, or less if the underlay takes less
	char mtu_text[12];
	char scheme[DRB_SCHEME_TEXT_MAX]; // routing.scheme, with the full path of a shared object
	const char *out;                  // folder; NULL: write plan.json to standard output only
	const char *run_dir;              // for memif sockets; NULL: that of topo/fabric
	char *memif_dir;                  // owned
	const char *machines_file;
	struct machines *machines;     // split, owned; NULL: all nodes on one machine
	const struct machine *machine; // the machine of this plan; NULL: a plan of the whole fabric
};

// The kind of a link.
enum plan_link { PLAN_VETH, PLAN_MEMIF, PLAN_VXLAN, PLAN_VLAN, PLAN_CABLE };

// Names of files in the plan's folder.
#define PLAN_NAMESPACES "namespaces.batch"
#define PLAN_WIRES "wires.batch"
void plan_batch_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
void plan_config_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label);
// Returns "DIR/NAME", which the caller frees. Aborts when memory runs out.
char *plan_path(const struct plan *plan, const char *name);

enum plan_link plan_link(const struct plan *plan, const struct topo_link *link);
const char *plan_link_name(enum plan_link kind);

// True if the node is on the plan's machine, or the plan is of the whole fabric.
bool plan_has(const struct plan *plan, uint32_t layer, uint32_t label);
// The machine of an end; the plan must have machines.
const struct machine *plan_machine(const struct plan *plan, const struct drb_end *end);
// The machine's interface at an end of a link; the link must be a VLAN or a cable.
const char *plan_interface(const struct plan *plan, const struct topo_link *link,
			   const struct drb_end *end);
// An iterator over the links that have an end in this plan; all zeros at first.
struct plan_walk {
	struct topo_links links;
	uint32_t crossed; // links between any two machines so far
};
// The next such link; false: there are no more. If its ends are on two machines, *id is its VNI or
// VLAN; a cable without a VLAN has a number that is not used.
bool plan_links_next(const struct plan *plan, struct plan_walk *walk, struct topo_link *link,
		     uint32_t *id);
