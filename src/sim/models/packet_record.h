// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run notes of every measured packet and of every link, only where it is asked to.

#include "core/fabric/tree.h"

#include "sim/models/fabric.h"
#include "sim/models/packet.h"
#include "sim/models/slow.h"

struct drb_packet_record {
	struct drb_tree tree;
	uint32_t first, slots; // births of the slots from `first` on, so many, are measured
	bool ended;            // what is told now did not arrive, the run ended before
	// [source * slots + slot of birth - first]: destination << 32 | latency, 0 without a packet.
	// A host has one a slot.
	uint64_t *packet;
	// Of each queue, layers and entries as in struct drb_layer, in the measured slots.
	struct drb_queue_record {
		uint64_t carried,
			length; // packets that left; its lengths before they did, added up
		uint32_t longest;
		bool leaves; // in the slot that is being simulated
	} * queue;
	// Of one source, for the result: destinations and births of its packets, arrivals.
	uint64_t *key;
	struct drb_arrival *arrival;
	uint64_t first_of[DRB_LAYERS_MAX + 1]; // [layer]: of queue[]
};

uint64_t drb_record_bytes(const struct drb_tree *t, uint32_t slots);
// NULL if memory is out.
struct drb_packet_record *drb_record_new(const struct drb_tree *t, uint32_t first, uint32_t slots);
void drb_record_free(struct drb_packet_record *r);

// A measured packet arrived, or when the run ended was on its way for that long.
void drb_record_packet(struct drb_packet_record *r, uint32_t source, uint32_t dest, uint32_t birth,
		       uint32_t latency);
// The links in slot `slot`, if it is measured.
void drb_record_links(struct drb_packet_record *r, const struct drb_fabric *f,
		      const struct drb_slow_links *slow, uint32_t slot);

// Of queue i of all, after the last slot.
struct drb_link_figures drb_record_link(const struct drb_packet_record *r, uint64_t i);
// Once, at the end; uses up what was noted of packets.
void drb_record_result(struct drb_packet_record *r, struct drb_packet_detail *detail);
