// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Connections are established before data flows, as by TCP: a SYN goes the way of a packet of the transfer, a
// SYN-ACK comes back the way of one in the other direction, and from the slot on in which that has come, or at
// whose beginning, the transfer may send.
//
// Both are small frames (small.h). A queue that is full drops them; `timeout` slots after it was sent a SYN that is not
// answered is sent again. Alone, at distance k, it takes 4k `ack_hop`, rounded up to whole slots, at least one.

#include "sim/flows/small.h"

// Of a new transfer; from which slot on it may send, is in its `connected`. 0 or -ENOMEM.
int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer);
// A queue dropped the SYN, or its answer.
void drb_handshake_again(struct drb_transfers *t, struct drb_small *small);
// The answer has come.
void drb_handshake_end(struct drb_transfers *t, const struct drb_small *small);
