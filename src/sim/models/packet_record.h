// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Records of every measured packet, kept only on request.

#include "core/fabric/tree.h"

#include "sim/models/link_record.h"
#include "sim/models/packet.h"

struct drb_packet_record {
	struct drb_tree tree;
	uint32_t first, slots; // packets born in `slots` slots from `first` on are measured
	bool ended;            // the run has ended: packets recorded from now on did not arrive
	// [source * slots + slot of birth - first]: destination << 32 | latency, 0 without a
	// packet. A host sends at most one packet per slot.
	uint64_t *packet;
	// Work space for one source: destinations and births of its packets, arrivals.
	uint64_t *key;
	struct drb_arrival *arrival;
};

uint64_t drb_record_bytes(const struct drb_tree *t, uint32_t slots);
// NULL if memory is out.
struct drb_packet_record *drb_record_new(const struct drb_tree *t, uint32_t first, uint32_t slots);
void drb_record_free(struct drb_packet_record *r);

// Records a measured packet that arrived, or that was in flight for `latency` slots when the run
// ended.
void drb_record_packet(struct drb_packet_record *r, uint32_t source, uint32_t dest, uint32_t birth,
		       uint32_t latency);
// Called once, at the end. Overwrites the records of packets.
void drb_record_result(struct drb_packet_record *r, const struct drb_link_record *links,
		       struct drb_packet_detail *detail);
