// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Selects the ports of a switch that take traffic, from the state of each. Pure; ports are bits,
// down-ports first.
//   dead     takes none.
//   drained  takes none while there is another path. A drained down-port is used if the switch
//            below says that it has no other uplink; drained uplinks are used if this switch has no
//            other. This switch then reports that to the switches above, unless no port below is in
//            use. Thus the path from a host to the core stays whole.
// A switch whose ports are all drained forwards what it still receives: its neighbours send nothing
// new.

#include <stdint.h>

struct drb_port_knowledge {
	uint64_t downs, ups;    // the ports that exist
	uint64_t dead, drained; // disjoint
	uint64_t asked; // down-ports to switches whose hellos say that they need this switch
};

struct drb_port_selection {
	uint64_t out;    // not used: dead, or drained and not needed
	uint64_t needed; // drained but used, because some host has no other path
	uint64_t needs;  // the uplinks among needed; hellos report them to the switches above
};

static inline struct drb_port_selection drb_select_ports(const struct drb_port_knowledge *k)
{
	struct drb_port_selection u = {.needed = k->drained & k->downs & k->asked};

	u.out = k->dead | (k->drained & ~u.needed);
	if (!((k->downs | k->ups) & ~u.out)) {
		u.out = k->dead;
	} else if (!(k->ups & ~u.out)) {
		u.needs = k->drained & k->ups;
		u.out &= ~u.needs;
	}
	u.needed |= u.needs;
	return u;
}
