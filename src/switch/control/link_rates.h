// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `rate: link`: the rate of a port is what the ends of its link agreed on, which may become another while the
// switch runs: looked at once a second, where a port can tell.

struct drb_switch;

int drb_link_rates_open(struct drb_switch *s);
void drb_link_rates_close(struct drb_switch *s);
