// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces of hosts that are faster or slower than their links, and links of hosts on which a
// packet takes several slots. Transfers whose packets wait for the link take turns (uet-htsim,
// queue.h FairPriorityQueue). If a source of uec sends packets before it receives anything, they
// wait behind all others (uecpacket.h priority()).

#include "sim/flows/transfer.h"

// Allocates interfaces if setup.units gives them another rate than the links of hosts have.
// Allocates the state of links on which a packet takes several slots. 0 or -ENOMEM.
int drb_nics_init(struct drb_transfers *t);
void drb_nics_free(struct drb_transfers *t);
// The packet that has crossed the link of a host after this slot, or DRB_NO_PACKET. next() takes
// the next packet of the host's transfers.
uint64_t drb_nic_send(struct drb_transfers *t, uint32_t host,
		      uint64_t (*next)(struct drb_transfers *t, uint32_t host));
