// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The workers of one switch. Each has its own receive queues (spread by the device's RSS, or, where
// a device has fewer than there are workers, port by port), its own egress queue and transmit queue
// at every port, its own flows; they share nothing but what worker/shared_load.h says. A port's rate and queue
// limit are divided evenly among them, so that all together keep to both.

#include "switch/ports/port_set.h"
#include "switch/datapath/worker/worker.h"

// Within this, who parks workers knows whether it can.
#define DRB_PARK_WITHIN_NS UINT64_C(1500000000)
// What to say if it cannot.
#define DRB_PARK_FAILED                                                                            \
	"a worker of this switch is stuck or gets no CPU, so nothing was changed: try again; "     \
	"restart "                                                                                 \
	"the switch if `drbctl list` says stuck"

struct drb_workers {
	uint32_t count;
	atomic_int
		stuck; // the number of a worker; -1: none. The heartbeat writes; any thread reads
	struct drb_worker worker[DRB_WORKERS_MAX];
};

// setup must outlive the workers. 0 or -ENOMEM.
int drb_workers_init(struct drb_workers *all, const struct drb_setup *setup);
// Gives the workers the ports, but for those of memif, and the memory that their unit needs. Needs
// a running EAL. 0 or -errno, with a message printed.
int drb_workers_attach(struct drb_workers *all, const struct drb_port_set *ports,
		       const struct drb_setup *setup);
// While they are parked or do not run yet: gives the workers a memif port that has met its peer.
void drb_workers_attach_port(struct drb_workers *all, const struct drb_port_set *ports,
			     const struct drb_setup *setup, uint32_t port);
void drb_workers_free(struct drb_workers *all);

// Forwards until stopped: worker 0 in the calling thread, worker n on lcore n.
void drb_workers_run(struct drb_workers *all);
// Async-signal-safe.
void drb_workers_stop(struct drb_workers *all);
int drb_workers_idle_init(struct drb_workers *all);
void drb_workers_idle_free(struct drb_workers *all);

// No worker is inside an iteration from the return of the one until the other: whatever they own may be
// changed. Any thread but theirs; another who parks waits. 0, or -ETIMEDOUT: a worker does not pause, and
// nobody is parked. It costs the others nothing: none pauses before all have answered.
int drb_workers_park(struct drb_workers *all);
void drb_workers_unpark(struct drb_workers *all);
// The carrier of some port is not what it was, which worker 0 would see within two seconds: it looks at once.
void drb_workers_look_at_carriers(struct drb_workers *all);
// The number of a worker that is stuck, by its heartbeat (control/heartbeat.h); -1: none. Any thread.
int drb_workers_stuck(const struct drb_workers *all);

// Counters summed over workers, each of which is asked in turn: packets are conserved in what each
// says, and so in the sum. As drb_worker_snapshot().
int drb_workers_snapshot(struct drb_workers *all, struct drb_snapshot *out);
