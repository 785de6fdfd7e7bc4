// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `rate: link`: the rate of a port is what the ends of its link agreed on, which may become another while the
// switch runs: looked at once a second, where a port can tell.

#include <event2/event.h>

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// After drb_reload_begin(). 0, or -errno with a message printed.
int drb_link_rates_begin(struct event_base *base, const struct drb_port_set *ports,
			 const struct drb_setup *setup);
void drb_link_rates_end(void);
