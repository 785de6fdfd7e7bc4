// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Detects stuck workers. A thread asks each worker to confirm between two iterations, six times a
// second, or once a second while all links are at rest. If a worker has not confirmed by the next
// time, the thread wakes it or interrupts the system call in which it waits.
//
// A worker is stuck if it has not confirmed for half a second (two seconds at rest) although it
// sleeps, is stopped or uses its CPU. A worker that waits for a CPU on a busy machine is not stuck.
// While any worker is stuck, the switch leaves the fabric:
//   - It sends no hellos and no packets to other switches, so that all neighbours use other paths.
//     Packets between hosts of this switch still pass through other workers.
//   - Replies of the stats socket say so at once, and orders fail (datapath/changes.h).
//   - The service manager receives no more WATCHDOG=1 and restarts the switch if so configured. The
//     same happens if the control thread is stuck.
// If workers do not end within 3.4 s after SIGTERM, the process ends without them, with status 1.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "common/cli/periodic.h"
#include "common/config/config.h"

struct drb_switch;

// Owned by the thread between open and close, except where a comment says otherwise.
struct drb_heartbeat {
	struct drb_periodic thread;
	struct drb_pulse {
		unsigned asked;  // number of the heartbeat's last request; other code asks, too
		unsigned missed; // periods since the worker last answered
		uint64_t ran_ns; // the worker's CPU time at the first missed period
		bool stuck;
	} pulse[DRB_WORKERS_MAX];
	uint64_t watchdog_ns, told_ns; // the manager's timeout (0: none); when WATCHDOG=1 was sent
	// Timer of the control thread. NULL: the service manager does not watch this process.
	struct event *alive;
	atomic_uint_least64_t alive_ns; // when the control thread last ran; the thread reads it
	unsigned stopping;              // periods since the workers were asked to end
};

int drb_heartbeat_open(struct drb_switch *s);
void drb_heartbeat_close(struct drb_switch *s);
