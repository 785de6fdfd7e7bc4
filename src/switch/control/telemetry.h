// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The stats socket: DPDK telemetry commands /drb/... (names in <drb/stats.h>).

#include "switch/datapath/workers.h"

// Registers the commands. Both must stay valid until the process ends: telemetry has no way to
// take a command back.
int drb_telemetry_init(struct drb_workers *workers, const struct drb_setup *setup);
// All ports forward from now on.
void drb_telemetry_ready(void);
// Commands answer with nothing from here on; call before what they read goes away.
// Between these two no command is served.
void drb_telemetry_pause(void);
void drb_telemetry_resume(void);
void drb_telemetry_stop(void);
