// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the stats socket serves: DPDK telemetry commands /drb/... (names in core/counters.h). A new
// command is a row of the table in telemetry.c.

struct drb_switch;

// Registers the commands. s must stay valid until the process ends: telemetry has no way to take a
// command back. 0, or a negative errno with a message printed.
int drb_stats_open(struct drb_switch *s);
