// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the workers go on. A thread asks each four times a second to say so between two iterations. One that
// does not for half a second, although it sleeps, is stopped or uses its CPU, stands still; one that waits
// for a CPU on a busy machine does not. Then
//   - the other workers receive what it would, where the kind of port can do that; at the other ports that
//     it alone receives from, no more hellos are sent, so that neighbours detour;
//   - replies of the stats socket say so at once;
//   - the service manager hears no more WATCHDOG=1 and restarts the switch, if it was told to.

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// Both stay the caller's until drb_heartbeat_end(). Workers may start later. 0, or -errno with a message
// printed.
int drb_heartbeat_begin(struct drb_workers *workers, struct drb_port_set *ports);
void drb_heartbeat_end(void);
// A worker that stands still; -1: none. Any thread.
int drb_heartbeat_stuck(void);
