// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The workers of one switch. Each has its own receive queues, egress queue and transmit queue at
// every port, and its own flows. Receive queues are filled by the device's RSS; a device with fewer
// queues than workers gives whole ports to workers. The workers share only the loads in
// worker/shared_load.h. A port's rate and queue limit are divided evenly among them, so that
// together they keep to both.

#include "switch/ports/change.h"
#include "switch/ports/port_set.h"
#include "switch/datapath/worker/worker.h"

struct event;
struct event_base;

TAILQ_HEAD(drb_change_queue, drb_change);

// Changes of running workers (changes.h). Only the control thread uses them.
struct drb_changes {
	struct drb_change_queue queue; // the first is in progress
	enum {
		DRB_CHANGES_NONE,
		DRB_CHANGES_ASKED, // workers were asked to confirm that they run
		DRB_CHANGES_POSTED // workers have got the first change
	} stage;
	bool busy;                // drb_changes_go_on() runs
	bool looks, look_again;   // a check of carriers is posted; another must follow it
	struct drb_change look;   // that check
	struct event *told, *due; // told_fd is readable; the next deadline is reached
	void (*heard)(void *context);
	void *context;
};

struct drb_workers {
	uint32_t count;
	// The number of a stuck worker; -1: none. The heartbeat writes; any thread reads.
	atomic_int stuck;
	// For the control thread only.
	bool launched; // the workers' threads run
	int told_fd;   // eventfd, which workers write when they have served a request
	struct drb_changes changes;
	struct drb_worker worker[DRB_WORKERS_MAX];
};

// setup must outlive the workers. 0 or -ENOMEM.
int drb_workers_init(struct drb_workers *all, const struct drb_setup *setup);
// Gives the workers their ports, and the memory that the routing unit needs. A memif port stays
// inactive until it has met its peer. 0 or -errno, with a message printed.
int drb_workers_attach(struct drb_workers *all, const struct drb_port_set *ports,
		       const struct drb_setup *setup);
void drb_workers_free(struct drb_workers *all);

// Activates a memif port that has met its peer. Call as a change of the worker, or before it runs.
void drb_worker_attach_port(struct drb_worker *w, const struct drb_port *port,
			    const struct drb_setup *setup);

// Starts the workers, worker n on lcore n + 1. Only the control thread may call this and the
// functions below, except drb_workers_stuck(). 0 or -errno, with a message printed.
int drb_workers_start(struct drb_workers *all);
void drb_workers_stop(struct drb_workers *all);
// Waits until they have ended.
void drb_workers_join(struct drb_workers *all);
int drb_workers_idle_init(struct drb_workers *all);
void drb_workers_idle_free(struct drb_workers *all);

// Returns the number of a worker that the heartbeat (control/heartbeat.h) has found stuck; -1:
// none. Any thread.
int drb_workers_stuck(const struct drb_workers *all);

// Snapshots of all workers: ask, wait until all have one, then sum up. Packets are conserved in
// each snapshot, and thus in the sum.
void drb_workers_ask_snapshot(struct drb_workers *all);
// False while a worker has not answered.
bool drb_workers_have_snapshots(const struct drb_workers *all);
void drb_workers_sum_snapshots(const struct drb_workers *all, struct drb_snapshot *out);
