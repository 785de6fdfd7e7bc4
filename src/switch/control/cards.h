// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A thread that asks cards for what takes them long (look() of ports/port.h), ten times a second; workers read
// what it found. Where no port has that, there is no thread.

#include <stdatomic.h>

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// Before workers run: waits for the carriers of cards, which take seconds to be there after a start, for at most
// some seconds or until *ended. What comes meanwhile is dropped.
void drb_cards_settle(struct drb_port_set *ports, const atomic_bool *ended);

// Both stay the caller's until drb_cards_end(). 0, or -errno with a message printed.
int drb_cards_begin(struct drb_workers *workers, struct drb_port_set *ports);
void drb_cards_end(void);
