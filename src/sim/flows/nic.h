// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces of hosts that are faster or slower than the links. Packets wait for the link in order,
// but those that a source of uec sent before it received anything wait behind all others
// (uet-htsim, uecpacket.h priority()).

#include "sim/flows/transfer.h"

// Allocates interfaces, if setup.units has others than the links' rate. 0 or -ENOMEM.
int drb_nics_init(struct drb_transfers *t);
void drb_nics_free(struct drb_transfers *t);
// The packet that the link of a host carries in this slot, or DRB_NO_PACKET. next() takes the next
// packet of the host's transfers.
uint64_t drb_nic_send(struct drb_transfers *t, uint32_t host,
		      uint64_t (*next)(struct drb_transfers *t, uint32_t host));
