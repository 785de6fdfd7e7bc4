// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Implements `rate: link`: a port's rate is the negotiated speed of its link, which may change
// while the switch runs. Ports that can report their speed are read once a second.

#include "switch/datapath/workers.h"

struct drb_switch;

int drb_link_rates_open(struct drb_switch *s);
void drb_link_rates_close(struct drb_switch *s);

// Writes the speeds of links to *setup. Returns true if a rate there has changed.
bool drb_link_rates_fill(const struct drb_workers *workers, struct drb_setup *setup);
// Logs the rates that differ.
void drb_link_rates_say(const struct drb_setup *before, const struct drb_setup *now);
