// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Server-sent events: each viewer gets every snapshot that it can read in time; a slow one skips snapshots
// and takes no more memory than one.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ctl/serve/poller.h"

struct MHD_Connection;
struct MHD_Response;
struct event_stream;

#define EVENT_STREAMS_MAX 64

struct event_streams {
	struct poller *poller;
	pthread_mutex_t lock; // of what follows and of each stream's `waits`
	struct event_stream *first;
	size_t count;
	bool ended;
};

void event_streams_init(struct event_streams *all, struct poller *poller);
// The endless response for one viewer. NULL: there are too many, or no memory.
struct MHD_Response *event_stream_new(struct event_streams *all, struct MHD_Connection *c);
// A new snapshot: viewers that wait for one go on.
void event_streams_wake(struct event_streams *all);
// All streams end at their next byte. Before the daemon is stopped.
void event_streams_end(struct event_streams *all);
