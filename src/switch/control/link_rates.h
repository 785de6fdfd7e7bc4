// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `rate: link`: the rate of a port is the negotiated speed of its link, which may change while the switch
// runs. It is read once a second at ports that can report it.

#include "switch/datapath/workers.h"

struct drb_switch;

int drb_link_rates_open(struct drb_switch *s);
void drb_link_rates_close(struct drb_switch *s);

// Puts the speeds of links into *setup. True if a rate is another than it was there.
bool drb_link_rates_fill(const struct drb_workers *workers, struct drb_setup *setup);
// Says which rates differ.
void drb_link_rates_say(const struct drb_setup *before, const struct drb_setup *now);
