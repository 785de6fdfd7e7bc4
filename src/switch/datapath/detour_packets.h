// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forwarding while some port is dead: no choice includes dead uplinks, and a packet whose down-port is dead
// takes a detour (core/routing/detour.h). The mark of a packet on a detour is in the second byte of its
// destination MAC, by exclusive or with the fabric's own, and 0 again when it reaches a host.

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

struct rte_mbuf;

// At a switch that has a dead port: decides on the packets of a burst that this concerns, queues
// them, and takes them out of the burst.
void drb_detour_burst(struct drb_worker *w, struct drb_burst *b);

// A packet that came in by port in with this mark of a detour: 0 if it cannot go where it should.
void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark);
