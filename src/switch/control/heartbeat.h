// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether the workers go on. A thread asks each six times a second to say so between two iterations. One that
// does not until it is asked again is woken, and a system call that it waits in is interrupted. One that does not
// for half a second, although it sleeps, is stopped or uses its CPU, is stuck; one that waits for a CPU on a busy
// machine is not. Then the switch stops as a member of its fabric, until the worker goes on:
//   - it sends no hellos and no packets to other switches, whichever worker is stuck, so that all neighbours
//     take other ways; packets between hosts of this switch still pass the other workers;
//   - replies of the stats socket say so at once, and orders fail (drb_workers_apply());
//   - the service manager hears no more WATCHDOG=1 and restarts the switch, if it was told to. The same if the
//     control thread does not go on.
// Workers that do not end 2.7 s after SIGTERM are left behind: the process ends with status 1.

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
