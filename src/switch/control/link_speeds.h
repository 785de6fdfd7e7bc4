// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The speeds that the ends of links agreed on, as the rates of ports (`rate: link`).

#include "switch/datapath/workers.h"

// Puts the speeds of links into *setup. True if a rate is another than it was there.
bool drb_link_speeds_fill(const struct drb_workers *workers, struct drb_setup *setup);
// Says which rates differ; all, if there is no `before`.
void drb_link_speeds_say(const struct drb_setup *before, const struct drb_setup *now);
// The same of one port.
void drb_link_speeds_say_one(const struct drb_port_setup *p);
