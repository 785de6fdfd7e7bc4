// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small frames: SYNs, the SYN-ACKs that answer them, and acknowledgements if these use link time.
//
// A small frame takes `ack_hop` slots for a link, beyond the link's own delay, and waits. At a
// host, it waits behind the host's transfers that may send; at a switch, behind all packets in its
// queue. A switch decides on it as on a packet. With unit flow, a SYN gets the decision of its
// transfer. Other small frames get the decision of a transfer in the other direction. Each frame
// takes `ack_room` of a slot on every link that it crosses. When these shares add up to a slot, the
// link carries no packet in one slot. An idle slot takes up to one slot off the sum.
//
// Connections are established before data flow, as by TCP. A SYN takes the path of a packet of the
// transfer. The SYN-ACK returns on the path of a packet in the other direction. The transfer may
// send from the first slot that begins when the SYN-ACK arrives or later. A full queue drops SYNs
// and SYN-ACKs. If a SYN gets no answer, it is sent again `timeout` slots after it was sent.
// Without waiting, at distance k, the handshake takes 4k `ack_hop`, rounded up to whole slots, at
// least one, and the delays of links.

#include "sim/flows/transfer.h"

enum drb_small_kind { DRB_SMALL_SYN, DRB_SMALL_ANSWER, DRB_SMALL_ACK };

struct drb_small {
	uint32_t transfer;
	enum drb_small_kind kind;
	uint32_t layer, label; // the switch that it reaches next, or the host (layer 0)
	uint64_t time;         // time of its arrival there, in parts
	uint64_t sent;         // when the SYN was sent last
	uint64_t word;         // its word in decisions
	struct drb_flying ack; // the packet that it acknowledges
};

struct drb_smalls; // the small frames in flight

// Times are multiples of a slot's DRB_SMALL_PARTS-th part, so that sums are exact.
#define DRB_SMALL_PARTS UINT64_C(1000000)

int drb_smalls_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_smalls_free(struct drb_transfers *t);

// A host sends a small frame of a transfer. `kind`, `transfer`, `time`, and `sent` or `ack` are
// set. 0 or -ENOMEM.
int drb_small_send(struct drb_transfers *t, const struct drb_small *small);
// Begins the handshake of a new transfer, and sets `connected`, the slot from which it may send. 0
// or -ENOMEM.
int drb_handshake_begin(struct drb_transfers *t, uint32_t transfer);

// Moves all small frames in this slot, after all switches and hosts have sent.
void drb_smalls_move(struct drb_transfers *t);

struct active_switch;
// Delays packets on links of a switch that small frames take for this slot. Called when all
// arrivals are in the queues.
void drb_smalls_hold(struct drb_transfers *t, const struct active_switch *at);
// True if small frames take the link of a host for this slot and the host has a packet to send.
// Called once per host and slot.
bool drb_smalls_hold_host(struct drb_transfers *t, uint32_t host, bool has_packet);
