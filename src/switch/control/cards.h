// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Polls cards ten times a second for carriers and losses (look() in ports/port_kind.h). This takes
// long, so the control thread does it, and workers read the result.

#include <stdint.h>

#include <event2/event.h>

struct drb_switch;

struct drb_cards {
	struct event *due;      // timer of the poll; NULL: there are no cards
	uint64_t settle_end_ns; // when drb_cards_settle() gives up; 0: it was not called yet
	uint32_t looks;         // calls of drb_cards_settle()
};

// Called before workers run. Returns -EAGAIN until all cards have a carrier, which takes seconds
// after a start, and 0 after some seconds in any case. Drops frames that arrive meanwhile.
int drb_cards_settle(struct drb_switch *s);

int drb_cards_open(struct drb_switch *s);
void drb_cards_close(struct drb_switch *s);
