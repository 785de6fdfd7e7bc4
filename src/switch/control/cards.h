// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Asks cards for what takes them long (look() of ports/port_kind.h), ten times a second; workers read what it found.

#include <event2/event.h>

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// Again and again before workers run: the carriers of cards, which take seconds to be there after a start, are, or it has
// been some seconds. What comes meanwhile is dropped.
bool drb_cards_settled(struct drb_port_set *ports);

// Both stay the caller's until drb_cards_end(). 0, or -errno with a message printed.
int drb_cards_begin(struct event_base *base, struct drb_workers *workers,
		    struct drb_port_set *ports);
void drb_cards_end(void);
