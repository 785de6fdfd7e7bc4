// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One run of the packet model on several threads, with the figures of one thread.
//
// In a slot, switches depend on each other through the links alone. Packets sent in this slot
// arrive in a later slot. The order in which switches work therefore matters only for their draws,
// which come from one stream. The packets that arrive at a switch determine how many numbers it
// draws. In each slot, the threads first count the draws of each part of the fabric. Then each part
// skips the draws of the parts before it, and works. Meanwhile one thread draws the traffic of the
// slot.

#include "sim/models/packet_sim.h"

struct drb_packet_parts;

// Sets sim->parts by sim->setup.threads, as the last step of making a simulation. 0 or -ENOMEM.
int drb_parts_new(struct drb_packet_sim *sim);
void drb_parts_free(struct drb_packet_parts *parts);

// The slot of all switches, and the births. -ENOMEM: the queues outgrew the memory, maybe earlier
// than those of a run on one thread, never later.
int drb_parts_slot(struct drb_packet_parts *parts);
// Adds the figures of the parts to those of the run.
void drb_parts_sum(struct drb_packet_parts *parts);
