// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The machines that a fabric runs on, read from a file (docs/reference/machines.md), and the nodes
// that each has.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define MACHINES_MAX 64
#define MACHINE_NAME_MAX 24
#define MACHINE_SHARE_MAX 1000000
#define MACHINES_VNI_MAX ((UINT32_C(1) << 24) - 1)
#define MACHINES_VLAN_MAX 4094
#define MACHINES_INTERFACE_MAX 15
#define MACHINES_INTERFACE "the name of an interface, 1 to 15 letters, digits, '_', '.' and '-'"

// The kind of links between two machines.
enum machines_links {
	MACHINES_VXLAN, // a VXLAN interface at each end, with a VNI per link
	MACHINES_VLAN,  // a VLAN of one interface of each machine, with an id per link
};

struct machine {
	char name[MACHINE_NAME_MAX + 1];
	char address[48]; // IPv4 or IPv6, for the underlay and for SSH
	bool ipv6;
	uint32_t share;                             // of the fabric, relative to other machines
	char interface[MACHINES_INTERFACE_MAX + 1]; // of the underlay; "": not given
	char ssh_user[33];
	uint32_t ssh_port;
	char command[256]; // shell command that is drbfabric there

	// Set by machines_split().
	uint32_t first_pod, pods;
	uint32_t first_core, cores;
};

// A link between two machines that the file lists. Its ends are two interfaces, or VLANs of them.
struct cable {
	struct drb_end end[2]; // lower, upper
	char interface[2][MACHINES_INTERFACE_MAX + 1];
	uint32_t vlan;  // 0: the interfaces themselves
	uint32_t entry; // index in the file's list
};

struct machines {
	enum machines_links links;
	uint32_t first_id;     // VNI or VLAN of the first link between machines
	uint32_t udp_port;     // of VXLAN
	uint32_t underlay_mtu; // bytes
	uint32_t count;
	struct machine machine[MACHINES_MAX];
	struct cable *cables; // ordered by lower ends; owned
	uint32_t cables_count;
};

// Reads the file except its cables. Returns 0, or -EINVAL after a message that names file, line and
// key.
int machines_load(const char *path, struct machines *m);
// Frees the cables and m itself, which must come from malloc() or be NULL.
void machines_free(struct machines *m);
// Copies the name of an interface; false: the text is not MACHINES_INTERFACE.
bool machines_interface(const char *text, char interface[MACHINES_INTERFACE_MAX + 1]);

// The largest MTU of hosts, in bytes, whose packets fit into packets of the underlay.
uint32_t machines_room(const struct machines *m);
// The bytes by which an IP packet of the underlay is longer than the packet inside it.
uint32_t machines_overhead(const struct machines *m);
