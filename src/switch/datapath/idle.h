// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What wakes a sleeping worker: the sockets of ports, the doorbells of memif links, and a kick from
// other threads.

#include <time.h>

#include "switch/datapath/worker/worker.h"

// Call after all ports are attached: their sockets will wake the worker, and
// the bells of memif links, now and whenever a link comes up. Ports with neither make the worker
// sleep for short times instead. 0 or -errno, with a message printed.
int drb_idle_init(struct drb_worker *w);
void drb_idle_free(struct drb_worker *w);

// Asks the peers of memif links to ring. False if they have sent something meanwhile, and the
// worker must not sleep.
bool drb_idle_arm(const struct drb_worker *w);
// The worker looks by itself again.
void drb_idle_disarm(const struct drb_worker *w);
// Waits for packets or a kick, not longer than this; NULL: without end. False: nothing has come by any port.
bool drb_idle_wait(struct drb_worker *w, const struct timespec *timeout);
// The worker, as ports change: from now on other sockets may be at their descriptors.
void drb_idle_pause(struct drb_worker *w);
