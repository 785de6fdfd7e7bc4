// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forwarding while some port is dead. Schemes choose among usable uplinks only, and a packet whose
// down-port is dead takes a detour (core/routing/detour.h). The mark of a detour is XORed into the
// second byte of the packet's destination MAC. It is 0 again when the packet reaches a host.

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

struct rte_mbuf;

// Call while a port is dead or an outage is known. Decides on the affected packets of a burst,
// queues or drops them, and takes them out of the burst.
void drb_detour_burst(struct drb_worker *w, struct drb_burst *b);

// Forwards a packet that came in by port `in` with this detour mark. mark 0: a detour begins here,
// because the packet's own port is dead.
void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark);
