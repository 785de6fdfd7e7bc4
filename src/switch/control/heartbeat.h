// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the workers go on. A thread asks each six times a second to say so between two iterations. One that
// does not for half a second, although it sleeps, is stopped or uses its CPU, is stuck; one that waits
// for a CPU on a busy machine is not. Then the switch stops as a member of its fabric, until the worker goes on:
//   - it sends no hellos and no packets to other switches, whichever worker is stuck, so that all neighbours
//     take other ways; packets between hosts of this switch still pass the other workers;
//   - replies of the stats socket say so at once, and orders fail (drb_workers_apply());
//   - the service manager hears no more WATCHDOG=1 and restarts the switch, if it was told to.
// Workers that do not end 2.7 s after SIGTERM are left behind: the process ends with status 1.

#include "switch/datapath/workers.h"

// They stay the caller's until drb_heartbeat_end(), and may start later. 0, or -errno with a message
// printed.
int drb_heartbeat_begin(struct drb_workers *workers);
void drb_heartbeat_end(void);
