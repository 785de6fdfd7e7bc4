// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A thread that polls all switches and keeps the last replies. The number of viewers does not
// change how often switches are asked.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/metrics/poll.h"

enum snapshot_text { SNAPSHOT_METRICS, SNAPSHOT_JSON, SNAPSHOT_TEXTS };

// A poll, and the texts that are served from it. Freed with its last reference.
struct snapshot {
	uint64_t number; // 1, 2, ...
	struct metrics_poll poll;
	atomic_uint references;
	// Each text is made when it is first needed, under the lock.
	pthread_mutex_t lock;
	struct {
		char *text; // NULL: not made yet
		size_t length;
	} texts[SNAPSHOT_TEXTS];
};

// A text of the snapshot, valid as long as the snapshot. NULL: out of memory.
const char *snapshot_text(struct snapshot *p, enum snapshot_text which, size_t *length);
void snapshot_release(struct snapshot *p);

struct poller {
	// Set before poller_start().
	struct metrics_poller switches;
	uint64_t interval_ns;
	void (*on_snapshot)(void *context); // called by the poller's thread after each poll
	void *context;
	// Private.
	pthread_t thread;
	pthread_mutex_t lock; // of last, before, stop
	pthread_cond_t wake;
	struct snapshot *last;   // NULL before the first poll
	struct snapshot *before; // the snapshot before the last one; NULL: none yet
	bool stop;
};

// Takes the first snapshot. Returns 0, or -ENOMEM with a message printed.
int poller_init(struct poller *p);
// Starts the thread, which takes a snapshot at every interval. Returns 0, or a negative errno with
// a message printed.
int poller_start(struct poller *p);
void poller_stop(struct poller *p);
void poller_free(struct poller *p);
// The last snapshot, with a reference for the caller.
struct snapshot *poller_last(struct poller *p);
// The next snapshot for a viewer, with a reference for the caller. number: that of the viewer's
// last snapshot. A new viewer (0) first gets the snapshot before the last one, because rates need
// two snapshots.
struct snapshot *poller_next(struct poller *p, uint64_t number);
