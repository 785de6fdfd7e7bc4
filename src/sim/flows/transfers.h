// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Transfers: flows of a known size, from their first packet to the last, on the fabric of the
// packet model. Queues have a limit, and drop packets beyond it. Time is in slots, sizes are in
// packets.
//
// A host sends one packet per slot, of its transfers in turn. Sources are open, which means that
// they ignore congestion, or have a window (window.h). An open source does not send a dropped
// packet again: its transfer is broken, and has no completion time. On an idle fabric, an open
// transfer takes size - 1 + 2k slots at distance k, beyond the delays of links and a handshake
// (small.h).
//
// As in the switch, the unit says how long a decision holds. With packet, it holds for a packet.
// With flow, it holds until the flow ends, and compares the flows on uplinks. With flowlet, it
// holds until the flow pauses for longer than the gap, and compares queues.

#include "sim/flows/transfer.h"

// 0, or the errors of drb_packet_new(): -ENOMEM, -ERANGE, -EINVAL.
int drb_transfers_new(struct drb_transfers **out, const struct drb_transfers_setup *setup);
void drb_transfers_free(struct drb_transfers *t);

// Replaces 0 and NAN by the defaults of the source.
void drb_transfers_set_defaults(struct drb_transfers_setup *setup);

// Adds a transfer that begins in slot `start`. Returns its number, or -ENOMEM.
int64_t drb_transfers_add(struct drb_transfers *t, const struct drb_transfer *transfer);

// A source knows that all packets of a transfer have arrived, or that some never will.
void drb_transfer_over(struct drb_transfers *t, uint32_t transfer);

// The meaning of -EOVERFLOW, for users.
#define DRB_TRANSFERS_CROWDED                                                                      \
	"more packets are under way than a run of this scheme can number: limit queues and "       \
	"windows, or take a smaller fat-tree or a scheme that reads no flows"

// Simulates one slot. 0, -ENOMEM, or -EOVERFLOW: a packet's number does not fit into its word, of
// which the scheme takes a part. The number has 20 bits if the scheme reads flows and no link is
// dead.
int drb_transfers_step(struct drb_transfers *t);

// Called at the end of a run. Fills in setup.links if the caller asked for it. 0 or -ENOMEM.
int drb_transfers_list_links(const struct drb_transfers *t);

// A packet in the fabric is lost.
void drb_transfers_drop(struct drb_packet_sim *sim, uint64_t word);
// A packet or its header arrived, and is answered in this slot or later.
void drb_transfers_acknowledge(struct drb_transfers *t, const struct drb_flying *packet,
			       uint64_t slot);

// Slots that an acknowledgement takes if it uses no link time.
uint64_t drb_transfer_answer(const struct drb_transfers_setup *s,
			     const struct drb_transfer *transfer);
// Slots that the transfer would take alone, with an open source and no handshake, if its packets
// take all paths.
uint64_t drb_transfer_alone(const struct drb_transfers_setup *s,
			    const struct drb_transfer *transfer);
