// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `rate: link`: the rate of a port is what the ends of its link agreed on, which may become another while the
// switch runs. A thread looks once a second; where no port can tell, there is none.

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// After drb_reload_start(). 0, or -errno with a message printed.
int drb_link_rates_begin(const struct drb_port_set *ports, const struct drb_setup *setup);
void drb_link_rates_end(void);
