// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fields that other threads use while a worker runs. Each has one writer, named first.

#include <stdatomic.h>
#include <stdbool.h>

#include "common/config/config.h"
#include "switch/datapath/worker/host_faults.h"
#include "switch/datapath/worker/shared_load.h"
#include "switch/datapath/worker/snapshot.h"
#include "switch/links/published_routes.h"

struct drb_change;

struct drb_worker_shared {
	struct drb_published_load load;   // this worker; the other workers read
	struct drb_published_links links; // worker 0; all workers read
	// This worker; worker 0 reads. Valid frames received by each port; not used in worker 0.
	atomic_ullong frames[DRB_PORTS_MAX];
	// All workers; bits are only ever set.
	atomic_uint_least64_t
		host_faults_told[DRB_HOST_FAULT_COUNT]; // used in worker 0, a bit per port
	atomic_bool stop;    // the control thread; the worker and the heartbeat read
	atomic_bool running; // the worker; control thread and heartbeat read
	// The control thread, before changes_posted; the worker reads. NULL: only confirm that it
	// runs.
	struct drb_change *change;
	atomic_uint changes_posted;   // the control thread, by adding; the worker reads
	atomic_uint changes_made;     // the worker, by adding; the control thread reads
	atomic_int tid;               // the worker; the heartbeat reads
	atomic_uint beat_wanted;      // any thread, by adding; the worker reads
	atomic_uint beat;             // the worker: the last request that it answered
	atomic_bool silent;           // the heartbeat: a worker is stuck; the worker reads
	atomic_bool rests;            // worker 0: all links are at rest; the heartbeat reads
	atomic_uint snapshot_wanted;  // the control thread, by adding; the worker reads
	atomic_uint snapshot_done;    // the worker, when `snapshot` answers that request
	struct drb_snapshot snapshot; // the worker; the control thread reads after snapshot_done
};
