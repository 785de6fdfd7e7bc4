// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The machines that a fabric runs on, as a file says them (docs/reference/machines.md), and which nodes each has.

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

// What a link between two machines is made of.
enum machines_links {
	MACHINES_VXLAN, // a VXLAN interface at each end, a VNI for each link
	MACHINES_VLAN,  // a VLAN of an interface of each machine, an id for each link
};

struct machine {
	char name[MACHINE_NAME_MAX + 1];
	char address[48]; // IPv4 or IPv6, of the underlay and of SSH
	bool ipv6;
	uint32_t share;
	char interface[MACHINES_INTERFACE_MAX + 1]; // of the underlay, "" if not said
	char ssh_user[33];
	uint32_t ssh_port;
	char command[256]; // what runs drbfabric there

	// What machines_split() gives it.
	uint32_t first_pod, pods;
	uint32_t first_core, cores;
};

// A link between two machines that the file names: an interface at each end, or a VLAN of each.
struct cable {
	struct drb_end end[2]; // lower, upper
	char interface[2][MACHINES_INTERFACE_MAX + 1];
	uint32_t vlan;  // 0: the interfaces themselves
	uint32_t entry; // of the file's list
};

struct machines {
	enum machines_links links;
	uint32_t first_id; // VNI or VLAN of the first link between machines
	uint32_t udp_port; // of VXLAN
	uint32_t underlay_mtu;
	uint32_t count;
	struct machine machine[MACHINES_MAX];
	struct cable *cables; // by lower ends
	uint32_t cables_count;
};

// Reads the file, but for its cables. -EINVAL with a message printed that names file, line and key.
int machines_load(const char *path, struct machines *m);
// Of what malloc() has given, or NULL.
void machines_free(struct machines *m);
// Takes a text if it is MACHINES_INTERFACE.
bool machines_interface(const char *text, char interface[MACHINES_INTERFACE_MAX + 1]);

// The largest MTU of hosts whose packets the underlay carries whole.
uint32_t machines_room(const struct machines *m);
// Bytes by which an IP packet of the underlay is longer than the packet inside.
uint32_t machines_overhead(const struct machines *m);
