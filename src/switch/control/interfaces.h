// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces that are deleted and made again while the switch runs: their ports take them again, or it is said that
// they are gone. A port without its interface has no carrier, so its link is down within a second; what is sent there is
// dropped and counted (not_sent).

#include <event2/event.h>

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// Taking some of these again takes CAP_NET_RAW, which the control thread then keeps.
bool drb_interfaces_need_privilege(const struct drb_port_set *ports);
// All stay the caller's until drb_interfaces_end(). 0, or -errno with a message printed.
int drb_interfaces_begin(struct event_base *base, struct drb_workers *workers,
			 struct drb_port_set *ports);
void drb_interfaces_end(void);
