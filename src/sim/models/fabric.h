// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fabric as the packet model stores it: per layer the queues of all switches and, for every
// link, the packets that are on it.
//
// A packet is one 64-bit word: destination label in the low half; above it the source or bits of it for
// hashing, the mark of its scheme, that of its detour (lay_out_word() in packet_run.c), and the slot of birth.

#include <stdint.h>

#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"

#include "sim/models/delay.h"
#include "sim/models/fifo.h"

#define DRB_NO_PACKET UINT64_MAX

// What is on the links that end at a layer, from one side. Of each slot there is a strip, [link]: what comes to the
// other end in that slot.
struct drb_line {
	uint64_t *now;  // the strip of this slot
	uint64_t *next; // that into which packets are sent in this slot, the last one
	uint64_t *word; // all strips, taking turns
	uint64_t links;
	uint32_t strips;
};

// Word i of those on their way before a slot, i below links * (strips - 1).
static inline uint64_t drb_line_word(const struct drb_line *line, uint64_t i)
{
	uint64_t first = (uint64_t)(line->now - line->word);

	return line->word[(first + i) % (line->links * line->strips)];
}

// One layer. Ports of a switch are counted up-ports first: port u < up is up-port u, port up + p is
// down-port p; port i of switch s is entry s * (up + down) + i of len and fifo. Layer 0 are the hosts, each with one
// up-port; of these there is from_above alone.
struct drb_layer {
	uint32_t layer; // m
	uint32_t switches, up, down;
	uint32_t *len;
	struct drb_fifo *fifo;
	uint64_t first_fifo; // number of fifo[0] in the pool
	// len as switches know it, of the slot that setup.delay.loads says; owned: of all slots since then.
	const uint32_t *seen;
	uint32_t *old;
	// What arrives: entry s * down + p of from_below at down-port p, s * up + u of from_above at up-port u.
	struct drb_line from_below, from_above;
	// Where it goes: up-port u of s feeds entry up_to[s] + u * up_stride of the layer above's
	// from_below; down-port p entry down_to[s] + p * down_stride of the layer below's from_above.
	uint32_t *up_to, *down_to;
	uint32_t up_stride, down_stride;
};

struct drb_fabric {
	struct drb_tree tree;
	struct drb_delay delay;
	struct drb_layer layer[DRB_LAYERS_MAX + 1]; // [0..layers]
	struct drb_fifo_pool pool;
};

// Bytes of tables and homes of queues that a fabric takes before the first packet.
uint64_t drb_fabric_bytes(const struct drb_tree *t, const struct drb_delay *delay);
// memory: bytes that tables and queues may take together. -ENOMEM if the tables do not fit or the
// system refuses.
int drb_fabric_init(struct drb_fabric *f, const struct drb_tree *t, const struct drb_delay *delay,
		    uint64_t memory);
void drb_fabric_free(struct drb_fabric *f);
// Before this slot: lines, and the lengths that switches know, are those of it.
void drb_fabric_turn(struct drb_fabric *f, uint32_t slot);

// Packets in queues and on links before a slot, counted one by one.
uint64_t drb_fabric_packets(const struct drb_fabric *f);
