// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Transfers: flows of a known size, from their first packet to the last, on the fabric of the packet
// model. Queues hold so many packets and drop what finds no room. Time is in slots, sizes in packets.
//
// A host sends a packet a slot, of its transfers in turn. Sources are open, they do not heed congestion, or
// have a window (window.h). Of an open one a packet that is dropped is not sent again: a transfer of which
// some are is broken, and has no completion time. Alone on an idle fabric an open transfer takes size - 1 + 2k
// slots at distance k, what links add, after its handshake (small.h) if there are any.
//
// The unit says what a decision holds for, as in the switch: a packet; a flow for as long as it lasts, by
// the number of flows on each uplink; a flowlet until it pauses for longer than the gap, by queues.

#include "sim/flows/transfer.h"

// -ENOMEM, -ERANGE, -EINVAL: see drb_packet_new().
int drb_transfers_new(struct drb_transfers **out, const struct drb_transfers_setup *setup);
void drb_transfers_free(struct drb_transfers *t);

// A transfer that begins in slot `start`. Its number; -ENOMEM.
int64_t drb_transfers_add(struct drb_transfers *t, const struct drb_transfer *transfer);

// One slot: -ENOMEM.
int drb_transfers_step(struct drb_transfers *t);

// Slots that an acknowledgement takes where it takes no room.
uint64_t drb_transfer_answer(const struct drb_transfers_setup *s,
			     const struct drb_transfer *transfer);
// Slots it would take alone, open and without a handshake.
uint64_t drb_transfer_alone(const struct drb_transfers_setup *s,
			    const struct drb_transfer *transfer);
