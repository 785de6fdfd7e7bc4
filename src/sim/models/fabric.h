// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fabric as the packet model stores it: the queues of all switches by layer, and the packets
// that are on each link.
//
// A packet is one 64-bit word. The lower half is the label of the destination. Above it are the
// source or a hash of it, the mark of the scheme, the detour mark, and the slot of birth
// (lay_out_word() in packet_run.c).

#include <stdint.h>

#include "core/fabric/next_hop.h"
#include "core/fabric/tree.h"

#include "sim/models/delay.h"
#include "sim/models/fifo.h"

#define DRB_NO_PACKET UINT64_MAX

// The packets on links that end at a layer, from one side. There is a strip of `links` words for
// each slot in which packets arrive at the other end.
struct drb_line {
	uint64_t *now;  // strip of the packets that arrive in this slot
	uint64_t *next; // strip into which this slot sends packets: the last to arrive
	uint64_t *word; // all strips, a ring
	uint64_t links;
	uint32_t strips;
};

// Word i of the packets on the links before a slot; i < links * (strips - 1).
static inline uint64_t drb_line_word(const struct drb_line *line, uint64_t i)
{
	uint64_t first = (uint64_t)(line->now - line->word);

	return line->word[(first + i) % (line->links * line->strips)];
}

// One layer. Ports of a switch are counted up-ports first: port u < up is up-port u, port up + p is
// down-port p. Port i of switch s is entry s * (up + down) + i of `len` and `fifo`. Layer 0 are the
// hosts: each has one up-port, and the layer has nothing but from_above.
struct drb_layer {
	uint32_t layer; // m
	uint32_t switches, up, down;
	uint32_t *len;
	struct drb_fifo *fifo;
	uint64_t first_fifo; // index of fifo[0] in the pool, and among the queues of all layers
	// `seen` is `len` as switches know it, drb_delay.loads slots ago. `old` has the lengths of
	// all slots since then; owned.
	const uint32_t *seen;
	uint32_t *old;
	// Arrivals: entry s * down + p of from_below at down-port p, s * up + u of from_above at
	// up-port u.
	struct drb_line from_below, from_above;
	// Destinations of departures. Up-port u of switch s feeds entry up_to[s] + u * up_stride of
	// from_below of the layer above. Down-port p feeds entry down_to[s] + p * down_stride of
	// from_above of the layer below.
	uint32_t *up_to, *down_to;
	uint32_t up_stride, down_stride;
};

// Switches first..last-1 of a layer.
struct drb_range {
	uint32_t first, last;
};

struct drb_fabric {
	struct drb_tree tree;
	struct drb_delay delay;
	struct drb_layer layer[DRB_LAYERS_MAX + 1]; // [0..layers]
	struct drb_fifo_pool pool;
};

// Bytes of the tables and the homes of queues, which a fabric takes before the first packet.
uint64_t drb_fabric_bytes(const struct drb_tree *t, const struct drb_delay *delay);
// `memory`: bytes that tables and queues may take together. 0, or -ENOMEM if the tables do not fit
// or the system refuses.
int drb_fabric_init(struct drb_fabric *f, const struct drb_tree *t, const struct drb_delay *delay,
		    uint64_t memory);
void drb_fabric_free(struct drb_fabric *f);
// Called before each slot. Lines, and the lengths that switches know, become those of this slot.
void drb_fabric_turn(struct drb_fabric *f, uint32_t slot);

// Packets in queues and on links before a slot, counted one by one.
uint64_t drb_fabric_packets(const struct drb_fabric *f);
