// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which ports of a switch take traffic, from what it knows of each. Dead ones do not. Drained ones
// do not either while there is another way: a down-port is used if the switch below says that it
// has no other uplink, and uplinks are used if there is no other. In that case the switch says so
// to those above, unless nothing is in use below it, so that a way stays whole from a host to the
// core. A switch without any port in use passes what it gets as ever: its neighbours send nothing
// new. Pure; ports are bits, down-ports first.

#include <stdint.h>

struct drb_port_knowledge {
	uint32_t downs, ups;    // the ports there are
	uint32_t dead, drained; // a port is one of them at most
	uint32_t asked;         // down-ports to switches that say that they need this switch
};

struct drb_port_selection {
	uint32_t out;    // not used: dead, or drained and not needed
	uint32_t needed; // drained and used, because somebody has no other way
	uint32_t needs;  // of them, the uplinks: to those above we say so
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
