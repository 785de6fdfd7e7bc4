// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records of every measured packet and of every link, kept only on request.

#include "core/fabric/tree.h"

#include "sim/models/fabric.h"
#include "sim/models/packet.h"
#include "sim/models/slow.h"

struct drb_packet_record {
	struct drb_tree tree;
	uint32_t first, slots; // packets born in `slots` slots from `first` on are measured
	bool ended;            // the run has ended: packets recorded from now on did not arrive
	// [source * slots + slot of birth - first]: destination << 32 | latency, 0 without a
	// packet. A host sends at most one packet per slot.
	uint64_t *packet;
	// Figures of each queue in the measured slots. Layers and entries are as in struct
	// drb_layer.
	struct drb_queue_record {
		uint64_t carried,
			length; // packets that left; sum of the lengths before they left
		uint32_t longest;
		bool leaves; // in the slot that is being simulated
	} * queue;
	// Work space for one source: destinations and births of its packets, arrivals.
	uint64_t *key;
	struct drb_arrival *arrival;
	uint64_t first_of[DRB_LAYERS_MAX + 1]; // [layer]: index of its first entry in queue[]
};

uint64_t drb_record_bytes(const struct drb_tree *t, uint32_t slots);
// NULL if memory is out.
struct drb_packet_record *drb_record_new(const struct drb_tree *t, uint32_t first, uint32_t slots);
void drb_record_free(struct drb_packet_record *r);

// Records a measured packet that arrived, or that was in flight for `latency` slots when the run
// ended.
void drb_record_packet(struct drb_packet_record *r, uint32_t source, uint32_t dest, uint32_t birth,
		       uint32_t latency);
// Records the links in slot `slot`, if it is measured.
void drb_record_links(struct drb_packet_record *r, const struct drb_fabric *f,
		      const struct drb_slow_links *slow, uint32_t slot);

// Figures of queue i of all, after the last slot.
struct drb_link_figures drb_record_link(const struct drb_packet_record *r, uint64_t i);
// Called once, at the end. Overwrites the records of packets.
void drb_record_result(struct drb_packet_record *r, struct drb_packet_detail *detail);
