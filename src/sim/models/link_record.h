// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records what each link carried and how long its queue was, kept only on request.

#include "core/fabric/tree.h"

#include "sim/models/fabric.h"
#include "sim/models/link_figures.h"
#include "sim/models/slow.h"

struct drb_link_record {
	struct drb_tree tree;
	uint32_t first, slots; // records at most `slots` slots from `first` on
	uint32_t seen;         // slots recorded so far
	// Layers and entries are as in struct drb_layer.
	struct drb_queue_record {
		uint64_t carried;      // packets that left
		uint64_t length;       // sum of the lengths before they left
		uint32_t longest;      // packets
		uint32_t refused : 31; // packets that found it full, in any slot
		uint32_t leaves : 1;   // a packet leaves in the slot that is being simulated
	} * queue;
	uint64_t first_of[DRB_LAYERS_MAX + 1]; // [layer]: index of its first entry in queue[]
	uint64_t links;
};

uint64_t drb_link_record_bytes(const struct drb_tree *t);
// NULL if memory is out.
struct drb_link_record *drb_link_record_new(const struct drb_tree *t, uint32_t first,
					    uint32_t slots);
void drb_link_record_free(struct drb_link_record *r);

// Records all links in slot `slot`, if it is one of those to record.
void drb_link_record_slot(struct drb_link_record *r, const struct drb_fabric *f,
			  const struct drb_slow_links *slow, uint32_t slot);
// Records a packet that found the queue full, in any slot; `entry` is as in struct drb_layer.
void drb_link_record_refusal(struct drb_link_record *r, uint32_t layer, uint64_t entry);

// Figures of link i, without growth.
struct drb_link_figures drb_link_record_of(const struct drb_link_record *r, uint64_t i);
// The use of the links of all switches of a layer, in one direction.
struct drb_link_use drb_link_record_use(const struct drb_link_record *r, uint32_t layer, bool up);
