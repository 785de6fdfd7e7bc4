// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Server-sent events. Each viewer gets every snapshot that it can read in time. A slow viewer skips
// snapshots, and never needs more memory than one snapshot. A viewer that reads one for too long is
// disconnected, so that few old snapshots are kept, however many viewers there are.

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/serve/poller.h"

struct MHD_Connection;
struct MHD_Response;
struct event_stream;

#define EVENT_STREAMS_MAX 320  // a further stream closes the oldest
#define EVENT_STREAM_BEHIND 16 // snapshots that may be taken while a viewer reads one

struct event_streams {
	struct poller *poller;
	pthread_mutex_t lock; // of the members below, and of each stream's `waits`
	struct event_stream *first;
	size_t count;
	bool ended;
	// Used by the daemon's thread only.
	uint64_t newest; // number of the newest snapshot that a stream began to send
};

void event_streams_init(struct event_streams *all, struct poller *poller);
// Returns an endless response for one viewer; the caller queues it. NULL: too many streams, or out
// of memory.
struct MHD_Response *event_stream_new(struct event_streams *all, struct MHD_Connection *c);
// Call after each new snapshot: resumes the viewers that wait for one.
void event_streams_wake(struct event_streams *all);
// Ends all streams at their next byte. Call before the daemon is stopped.
void event_streams_end(struct event_streams *all);
