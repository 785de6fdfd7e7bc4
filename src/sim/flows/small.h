// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small frames: SYNs, the SYN-ACKs that answer them, and acknowledgements where these take room.
//
// They take `ack_hop` slots for a link, and what the link adds, but they wait: at a host for their turn behind its
// transfers that may send, at a switch for all that is in the queue before them. A decision is made for them as for
// packets, with unit flow that of the transfer, or for one in the other direction. Each takes `ack_room` of a slot of every link that it crosses: when
// that adds up to a slot, the link has none for a packet once. A slot in which it has no packet makes up for it.
//
// Connections are established before data flows, as by TCP: a SYN takes the way of a packet of the transfer, and a
// SYN-ACK comes back the way of one in the other direction. The transfer may send from the slot on in which that
// comes, or at whose beginning. A queue that is full drops both; `timeout` slots after it was sent, a SYN without an
// answer is sent again. Alone, at distance k, it takes 4k `ack_hop`, rounded up to whole slots, at least one, and what
// links add.

#include "sim/flows/transfer.h"

enum drb_small_kind { DRB_SMALL_SYN, DRB_SMALL_ANSWER, DRB_SMALL_ACK };

struct drb_small {
	uint32_t transfer;
	enum drb_small_kind kind;
	uint32_t layer, label; // the switch that it comes to, or the host (layer 0)
	uint64_t time;         // at which it does, in parts
	uint64_t sent;         // when the SYN was sent last
	uint64_t word;         // of the packet that it is to those who decide
	struct drb_flying ack; // what it acknowledges
};

struct drb_smalls; // that are under way

// Time is counted in these parts of a slot, so that sums are exact.
#define DRB_SMALL_PARTS UINT64_C(1000000)

int drb_smalls_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_smalls_free(struct drb_transfers *t);

// A small frame of a transfer is at the host that sends it: kind, transfer, time, and sent or ack are set. 0 or
// -ENOMEM.
int drb_small_send(struct drb_transfers *t, const struct drb_small *small);
// Of a new transfer, whose `connected` says from which slot on it may send. 0 or -ENOMEM.
int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer);

// What they do in this slot. All switches and hosts have sent in it.
void drb_smalls_move(struct drb_transfers *t);

struct active_switch;
// The links of a switch that small frames take for this slot hold their packets. All arrivals are in its queues.
void drb_smalls_hold(struct drb_transfers *t, const struct active_switch *at);
// Whether they take the link of a host for this slot, in which it has a packet to send or has none.
bool drb_smalls_hold_host(struct drb_transfers *t, uint32_t host, bool has_packet);
