// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Connections are established before data flows, as by TCP: a SYN goes the way of a packet of the transfer, a
// SYN-ACK comes back the way of one in the other direction, and from the slot on in which that has come, or at
// whose beginning, the transfer may send.
//
// Both are small, as an acknowledgement is: they take `ack_hop` slots for a link, and no room on it. But they wait:
// at a host for their turn behind its transfers that may send, at a switch for all that is in the queue before them. A decision
// is made for them as for packets, with unit flow that of the transfer. A queue that is full drops them;
// `timeout` slots after it was sent a SYN that is not answered is sent again. Alone, at distance k, it
// takes 4k `ack_hop`, rounded up to whole slots, at least one.

#include "sim/flows/transfers.h"

struct drb_handshakes; // that are under way

int drb_handshakes_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_handshakes_free(struct drb_transfers *t);

// Of a new transfer; from which slot on it may send, is in its `connected`. 0 or -ENOMEM.
int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer);
// A packet crosses the link to this host in the slot.
void drb_handshakes_see(struct drb_transfers *t, uint32_t host);
// What they do in this slot. All switches and hosts have sent in it.
void drb_handshakes_move(struct drb_transfers *t);
