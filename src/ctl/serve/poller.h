// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One thread that polls all switches, whatever the number of viewers, and keeps the last replies.

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/metrics/poll.h"

enum snapshot_text { SNAPSHOT_METRICS, SNAPSHOT_JSON, SNAPSHOT_TEXTS };

// One poll and what is served of it. Freed with its last reference.
struct snapshot {
	uint64_t number; // 1, 2, ...
	struct metrics_poll poll;
	atomic_uint references;
	// Made when it is first asked for.
	pthread_mutex_t lock;
	struct {
		char *text; // NULL: not yet
		size_t length;
	} texts[SNAPSHOT_TEXTS];
};

// Valid as long as the snapshot. NULL: no memory.
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
	struct snapshot *before; // the one before it; NULL: none yet
	bool stop;
};

// Takes the first snapshot. 0, or -ENOMEM with a message printed.
int poller_init(struct poller *p);
// Starts the thread, which goes on. 0, or a negative errno with a message printed.
int poller_start(struct poller *p);
void poller_stop(struct poller *p);
void poller_free(struct poller *p);
// The last snapshot, with a reference for the caller.
struct snapshot *poller_last(struct poller *p);
// The same for who has had that of a number: the one before the last for who has had none (0), since rates take two.
struct snapshot *poller_next(struct poller *p, uint64_t number);
