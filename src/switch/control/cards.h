// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Asks cards ten times a second for what takes long (look() of ports/port_kind.h); workers read the result.

#include <stdint.h>

#include <event2/event.h>

struct drb_switch;

struct drb_cards {
	struct event *due;      // NULL: there are none
	uint64_t settle_end_ns; // 0: not begun
	uint32_t looks;         // since then
};

// Before workers run: -EAGAIN until the carriers of cards, which take seconds to be there after a start, are, or it has been
// some seconds. What comes meanwhile is dropped.
int drb_cards_settle(struct drb_switch *s);

int drb_cards_open(struct drb_switch *s);
void drb_cards_close(struct drb_switch *s);
