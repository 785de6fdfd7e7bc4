// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sleep of a worker. The sockets of ports, the doorbells of memif links, and kicks from other
// threads wake it.

#include <time.h>

#include "switch/datapath/worker/worker.h"

// Call after all ports are attached. Their sockets then wake the worker, and so do the doorbells of
// memif links, now and whenever a link comes up. A port with neither makes the worker sleep for
// short times instead. 0 or -errno, with a message printed.
int drb_idle_init(struct drb_worker *w);
void drb_idle_free(struct drb_worker *w);

// Asks the peers of memif links to ring the doorbell. False: they have sent something meanwhile,
// and the worker must not sleep.
bool drb_idle_arm(const struct drb_worker *w);
// Withdraws that request: the worker polls again.
void drb_idle_disarm(const struct drb_worker *w);
// Waits for packets or a kick, at most for *timeout; NULL: without limit. False: nothing has come
// by any port.
bool drb_idle_wait(struct drb_worker *w, const struct timespec *timeout);
// The worker calls it when ports change: from now on the same descriptors may be other sockets.
void drb_idle_pause(struct drb_worker *w);
