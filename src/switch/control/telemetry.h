// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the stats socket serves: DPDK telemetry commands /drb/... (names in core/counters.h). A new
// command is a row of the table in telemetry.c.

#include "switch/datapath/workers.h"

// Registers the commands. Both must stay valid until the process ends: telemetry has no way to take a
// command back. 0, or a negative errno with a message printed.
int drb_telemetry_init(struct drb_workers *workers, const struct drb_setup *setup);
