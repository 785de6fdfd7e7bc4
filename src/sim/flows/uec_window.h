// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Both ends of a connection of uec (uec.h), on the window of window.h. An acknowledgement covers
// all packets that had come when it was sent; its `number` is how many.

#include "sim/flows/window.h"

void drb_uec_open(const struct drb_transfers *t, struct drb_window *w);
// A packet counts as lost after a timeout.
void drb_uec_time_out(struct drb_window *w);
// A packet arrives, and perhaps an acknowledgement leaves. True: the packet came for the first
// time.
bool drb_uec_receive(struct drb_transfers *t, const struct drb_flying *packet);
// A packet or its header arrived: sends the answer. It leaves the receiver before this slot.
void drb_uec_answer(struct drb_transfers *t, const struct drb_flying *packet, uint64_t slot);
// An acknowledgement arrives in this slot.
void drb_uec_hear(struct drb_transfers *t, const struct drb_flying *ack);

// The number of resends of a packet after the next one; 3: three or more.
static inline uint32_t drb_uec_resends(const struct drb_window_packet *p)
{
	return p->overtaken < 3 ? p->overtaken + 1u : 3;
}

// True if a packet that is being sent asks for an answer at once: it is the last one, or the window
// allows no other.
static inline bool drb_uec_asks(const struct drb_transfer *f, bool again)
{
	const struct drb_window *w = f->window;

	return again || w->next == f->size || w->under_way + 1 > (uint32_t)w->size;
}
