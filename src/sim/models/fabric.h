// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fabric as the packet model stores it: per layer the queues of all switches and, for every
// link, the packet that crosses it in a slot.
//
// A packet is one 64-bit word: destination label in the low half; above it the source or bits of it for
// hashing, the mark of its scheme, that of its detour (lay_out_word() in packet_run.c), and the slot of birth.

#include <stdint.h>

#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"

#include "sim/models/fifo.h"

#define DRB_NO_PACKET UINT64_MAX

// One layer. Ports of a switch are counted up-ports first: port u < up is up-port u, port up + p is
// down-port p; port i of switch s is entry s * (up + down) + i of len and fifo.
struct drb_layer {
	uint32_t layer; // m
	uint32_t switches, up, down;
	uint32_t *len;
	struct drb_fifo *fifo;
	uint64_t first_fifo; // number of fifo[0] in the pool
	// What arrives: from_below[x][s * down + p] at down-port p, from_above[x][s * up + u] at
	// up-port u; x = slot mod 2, the other half is being written for the next slot.
	uint64_t *from_below[2], *from_above[2];
	// Where it goes: up-port u of s feeds entry up_to[s] + u * up_stride of the layer above's
	// from_below; down-port p entry down_to[s] + p * down_stride of the layer below's
	// from_above (in layer 1 the packet is delivered).
	uint32_t *up_to, *down_to;
	uint32_t up_stride, down_stride;
};

struct drb_fabric {
	struct drb_tree tree;
	struct drb_layer layer[DRB_LAYERS_MAX + 1]; // [1..layers]
	struct drb_fifo_pool pool;
};

// Bytes of tables and homes of queues that a fabric takes before the first packet.
uint64_t drb_fabric_bytes(const struct drb_tree *t);
// memory: bytes that tables and queues may take together. -ENOMEM if the tables do not fit or the
// system refuses.
int drb_fabric_init(struct drb_fabric *f, const struct drb_tree *t, uint64_t memory);
void drb_fabric_free(struct drb_fabric *f);

// Packets in queues and on the links they cross in this slot, counted one by one.
uint64_t drb_fabric_packets(const struct drb_fabric *f, uint32_t slot);
