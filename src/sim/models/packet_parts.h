// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One run of the packet model on several threads, with the figures of one thread.
//
// In a slot, switches depend on each other through the links alone, and what is sent now arrives in
// a later slot. So the order in which switches work matters only for their draws, which come from
// one stream. How many numbers a switch draws follows from the packets that arrive. In each slot,
// the threads first count the draws of each part of the fabric. Then each part skips those of the
// parts before it, and works. Meanwhile one thread draws the traffic of the slot.

#include "sim/models/packet_sim.h"

struct drb_packet_parts;

// Sets sim->parts by sim->setup.threads, as the last step of its making. 0 or -ENOMEM.
int drb_parts_new(struct drb_packet_sim *sim);
void drb_parts_free(struct drb_packet_parts *parts);

// The slot of all switches, and the births. -ENOMEM: the queues outgrew the memory, maybe earlier
// than those of a run on one thread, never later.
int drb_parts_slot(struct drb_packet_parts *parts);
// Adds the figures of the parts to those of the run.
void drb_parts_sum(struct drb_packet_parts *parts);
