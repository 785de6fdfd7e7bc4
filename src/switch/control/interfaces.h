// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interfaces that are deleted and made again while the switch runs: a thread hears of it and has their
// ports take them again, or says that they are gone. A port without its interface has no carrier, so its
// link is down within a second; what is sent there is dropped and counted (not_sent).

#include "switch/datapath/workers.h"
#include "switch/ports/port_set.h"

// All stay the caller's until drb_interfaces_end(). Before privileges are dropped: with several workers
// the thread keeps what opening packet sockets takes. 0, or -errno with a message printed.
int drb_interfaces_begin(struct drb_workers *workers, struct drb_port_set *ports,
			 const struct drb_port_parking *parking);
void drb_interfaces_end(void);
