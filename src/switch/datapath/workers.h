// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The workers of one switch. Each has its own receive queues (filled by the device's RSS, or whole ports
// where a device has fewer queues than workers), its own egress queue and transmit queue at every port, and
// its own flows. They share only what worker/shared_load.h says. A port's rate and queue limit are divided
// evenly among them, so that together they keep to both.

#include "switch/ports/port_set.h"
#include "switch/datapath/worker/worker.h"

// Within this all workers say that they go on, or no change is posted; within this after it all have made it.
#define DRB_APPLY_WITHIN_NS UINT64_C(500000000)
// What to say if one does not.
#define DRB_APPLY_FAILED                                                                           \
	"a worker of this switch is stuck or gets no CPU, so nothing was changed: try again; "     \
	"restart "                                                                                 \
	"the switch if `drbctl list` says stuck"

struct drb_workers {
	uint32_t count;
	// The number of a worker; -1: none. The heartbeat writes; any thread reads.
	atomic_int stuck;
	// Of the control thread.
	bool launched;                   // their threads were, and have not ended
	bool late;                       // one was waited for in vain: drb_workers_late()
	unsigned asked[DRB_WORKERS_MAX]; // last, whether it goes on
	// Of drb_workers_apply_to_port(): constant while a worker has a change to make.
	drb_port_change *port_change;
	void *port_context;
	struct drb_worker worker[DRB_WORKERS_MAX];
};

// setup must outlive the workers. 0 or -ENOMEM.
int drb_workers_init(struct drb_workers *all, const struct drb_setup *setup);
// Gives the workers the ports, but for those of memif, and the memory that their unit needs. Needs
// a running EAL. 0 or -errno, with a message printed.
int drb_workers_attach(struct drb_workers *all, const struct drb_port_set *ports,
		       const struct drb_setup *setup);
void drb_workers_free(struct drb_workers *all);

// A change of workers: they get a memif port that has met its peer.
struct drb_attachment {
	const struct drb_port_set *ports;
	const struct drb_setup *setup;
	uint32_t index;
};
drb_worker_change drb_worker_attach_port;

// Forward from now on, worker n on lcore n + 1. The caller is the control thread: it alone calls what is below.
// 0 or -errno, with a message printed.
int drb_workers_start(struct drb_workers *all);
void drb_workers_stop(struct drb_workers *all);
// Waits until they have ended.
void drb_workers_join(struct drb_workers *all);
int drb_workers_idle_init(struct drb_workers *all);
void drb_workers_idle_free(struct drb_workers *all);

// Has every worker make a change, each at the edge of an iteration of its own, after which it goes on: they do not
// wait for one another. A change that concerns one of them alone is made by all. Before they run it is called here.
//   0             all have made it: what it replaced is nobody's, and may be freed.
//   -ETIMEDOUT    a worker is stuck or gets no CPU: nothing was changed anywhere.
//   -EINPROGRESS  one got stuck in between: the others have made it, and that one will if it goes on. So the change
//                 holds, but *context, and what it replaced, must stay for good. Until then nothing else is changed.
int drb_workers_apply(struct drb_workers *all, drb_worker_change *change, void *context);
// The same for struct drb_port_users (ports/port.h).
int drb_workers_apply_to_port(void *workers, drb_port_change *change, void *context);
// The carrier of some port is not what it was, which worker 0 would see within two seconds: it looks at once.
void drb_workers_look_at_carriers(struct drb_workers *all);
// A worker was waited for in vain and still owes the answer: nobody waits for it meanwhile.
bool drb_workers_late(struct drb_workers *all);
// The number of a worker that is stuck, by its heartbeat (control/heartbeat.h); -1: none. Any thread.
int drb_workers_stuck(const struct drb_workers *all);

// Asks all for snapshots, and sums these up: packets are conserved in each, and so in the sum. False while a worker has
// not answered.
void drb_workers_ask_snapshot(struct drb_workers *all);
bool drb_workers_sum_snapshot(const struct drb_workers *all, struct drb_snapshot *out);
