// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forwarding when some port is dead: dead uplinks are left out of every choice, and what cannot go
// down goes around (drb/bounce.h). The mark of a packet on its way around is in the second octet of
// its destination MAC, by exclusive or with the fabric's own, and 0 again when it reaches a host.

#include "core/routing/decide.h"

#include "switch/datapath/worker.h"

struct rte_mbuf;

// At a switch that has a dead port: sees to the packets of a burst that this concerns. How many are
// left, at the beginning of packets, to be forwarded as ever.
uint32_t drb_detour_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			  uint32_t count);

// A packet to host dest that came in by port in with this mark: 0 if it cannot go where it should.
void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint32_t dest,
		       uint8_t mark);

// The uplink of a decision, of those in use.
static inline uint32_t drb_detour_choose(const struct drb_worker *w, const struct drb_choice *c,
					 const uint32_t *load, uint32_t def, uint64_t flow,
					 uint64_t draw)
{
	uint64_t live = w->links.usable >> w->down_ports;

	return __builtin_expect(w->dead && live, 0)
		       ? drb_choose_usable(
				 c, live, load,
				 &(struct drb_decision){.def = def, .flow = flow, .draw = draw})
		       : drb_choose(c, load, def, flow, draw);
}

// True if packets must not be sent by this uplink.
static inline bool drb_detour_dead(const struct drb_worker *w, uint32_t uplink)
{
	return w->dead >> (w->down_ports + uplink) & 1;
}
