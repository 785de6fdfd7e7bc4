// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the workers run. A thread asks each six times a second, once while all links are at rest, to confirm
// between two iterations. It wakes a worker that has not confirmed by the next time, and interrupts a system call
// in which it waits. A worker is stuck if it has not confirmed for half a second, at rest two, although it
// sleeps, is stopped or uses its CPU; a worker that waits for a CPU on a busy machine is not. Until the worker runs
// again, the switch leaves the fabric:
//   - it sends no hellos and no packets to other switches, whichever worker is stuck, so that all
//     neighbours take other paths; packets between hosts of this switch still pass other workers;
//   - replies of the stats socket say so at once, and orders fail (drb_workers_apply());
//   - the service manager receives no more WATCHDOG=1 and restarts the switch if so configured. The
//     same happens if the control thread is stuck.
// Workers that do not end within 3.4 s after SIGTERM are left behind: the process ends with status 1.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "common/cli/periodic.h"
#include "common/config/config.h"

struct drb_switch;

// Where nothing else is said it is the thread's own, between open and close.
struct drb_heartbeat {
	struct drb_periodic thread;
	struct drb_pulse {
		unsigned asked;  // the request; others ask, too
		unsigned missed; // periods since it last answered
		uint64_t ran_ns; // of its time on a CPU, when it first missed
		bool stuck;
	} pulse[DRB_WORKERS_MAX];
	uint64_t watchdog_ns, told_ns; // of the service manager; 0: none
	// Of the control thread, where the service manager wants to know.
	struct event *alive;
	atomic_uint_least64_t alive_ns; // when it went on last; the thread reads
	unsigned stopping;              // periods since the workers were told to end
};

int drb_heartbeat_open(struct drb_switch *s);
void drb_heartbeat_close(struct drb_switch *s);
