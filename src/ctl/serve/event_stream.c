// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/event_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <microhttpd.h>

#include "ctl/serve/connections.h"

#define BLOCK 65536

struct event_stream {
	struct event_streams *all;
	struct event_stream *next, *before;
	struct MHD_Connection *connection;
	bool waits;   // suspended until the next snapshot
	bool dropped; // being closed: too slow, or in favour of a newer stream
	// Used by the daemon's thread only.
	struct snapshot *snapshot; // being sent; NULL: none
	const char *json;          // text of this snapshot
	size_t json_length;
	uint64_t number; // of the last snapshot sent
	size_t sent;     // bytes of the current event
};

static const char line_prefix[] = "data: ", line_suffix[] = "\n\n";

void event_streams_init(struct event_streams *all, struct poller *poller)
{
	*all = (struct event_streams){.poller = poller};
	pthread_mutex_init(&all->lock, NULL);
}

static size_t copy_part(const char *part, size_t length, size_t *skip, char *to, size_t room)
{
	if (*skip >= length) {
		*skip -= length;
		return 0;
	}
	size_t n = length - *skip < room ? length - *skip : room;
	memcpy(to, part + *skip, n);
	*skip = 0;
	return n;
}

// Copies the next part of "data: JSON\n\n", after the s->sent bytes that were sent. Returns its
// size.
static size_t stream_fill(struct event_stream *s, char *to, size_t room)
{
	size_t skip = s->sent, n;

	n = copy_part(line_prefix, sizeof(line_prefix) - 1, &skip, to, room);
	n += n < room ? copy_part(s->json, s->json_length, &skip, to + n, room - n) : 0;
	n += n < room ? copy_part(line_suffix, sizeof(line_suffix) - 1, &skip, to + n, room - n)
		      : 0;
	return n;
}

// Closes a stream when the daemon's thread next handles it. The caller holds the lock.
static void drop(struct event_stream *s)
{
	s->dropped = true;
	connection_drop(s->connection);
	if (s->waits)
		MHD_resume_connection(s->connection);
	s->waits = false;
}

// Drops the streams that still send a snapshot much older than this one, once for each new
// snapshot. The caller holds the lock.
static void drop_slow(struct event_streams *all, uint64_t number)
{
	if (number <= all->newest)
		return;
	all->newest = number;
	for (struct event_stream *s = all->first; s; s = s->next) {
		if (s->snapshot && !s->dropped &&
		    number - s->snapshot->number > EVENT_STREAM_BEHIND)
			drop(s);
	}
}

// Begins with the next snapshot. False: the connection is suspended until there is one, or the
// stream ends; *result is for MHD.
static bool next_snapshot(struct event_stream *s, ssize_t *result)
{
	// The check and the suspension are under the lock, so that a snapshot taken after the check
	// wakes this stream.
	pthread_mutex_lock(&s->all->lock);
	struct snapshot *p = poller_next(s->all->poller, s->number);
	bool ended = s->all->ended, stale = p->number == s->number;
	drop_slow(s->all, p->number);
	if (stale && !ended) {
		s->waits = true;
		MHD_suspend_connection(s->connection);
	}
	pthread_mutex_unlock(&s->all->lock);
	if (!ended && !stale)
		s->json = snapshot_text(p, SNAPSHOT_JSON, &s->json_length);
	if (!ended && !stale && s->json) {
		s->snapshot = p;
		s->sent = 0;
		return true;
	}
	snapshot_release(p);
	*result = ended || !stale ? MHD_CONTENT_READER_END_OF_STREAM : 0;
	return false;
}

static ssize_t read_stream(void *stream, uint64_t position, char *to, size_t room)
{
	struct event_stream *s = stream;
	ssize_t result;

	(void)position;
	if (!s->snapshot && !next_snapshot(s, &result))
		return result;
	size_t n = stream_fill(s, to, room);
	s->sent += n;
	if (s->sent == sizeof(line_prefix) - 1 + s->json_length + sizeof(line_suffix) - 1) {
		s->number = s->snapshot->number;
		snapshot_release(s->snapshot);
		s->snapshot = NULL;
	}
	return (ssize_t)n;
}

static void free_stream(void *stream)
{
	struct event_stream *s = stream;
	struct event_streams *all = s->all;

	pthread_mutex_lock(&all->lock);
	if (s->before)
		s->before->next = s->next;
	else
		all->first = s->next;
	if (s->next)
		s->next->before = s->before;
	all->count--;
	pthread_mutex_unlock(&all->lock);
	snapshot_release(s->snapshot);
	free(s);
}

// Drops the oldest stream in favour of a new one. The caller holds the lock.
static void drop_oldest(struct event_streams *all)
{
	struct event_stream *oldest = NULL;

	for (struct event_stream *s = all->first; s; s = s->next)
		oldest = s->dropped ? oldest : s;
	if (oldest)
		drop(oldest);
}

struct MHD_Response *event_stream_new(struct event_streams *all, struct MHD_Connection *c)
{
	struct event_stream *s = calloc(1, sizeof(*s));
	struct MHD_Response *response = NULL;

	pthread_mutex_lock(&all->lock);
	if (all->count >= EVENT_STREAMS_MAX)
		drop_oldest(all);
	bool room = s && !all->ended && all->count < 2 * EVENT_STREAMS_MAX;
	if (room) {
		*s = (struct event_stream){.all = all, .next = all->first, .connection = c};
		if (s->next)
			s->next->before = s;
		all->first = s;
		all->count++;
	}
	pthread_mutex_unlock(&all->lock);
	if (room)
		response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream,
							     s, free_stream);
	if (room && !response)
		free_stream(s);
	else if (!room)
		free(s);
	return response;
}

void event_streams_wake(struct event_streams *all)
{
	pthread_mutex_lock(&all->lock);
	for (struct event_stream *s = all->first; s; s = s->next) {
		if (s->waits)
			MHD_resume_connection(s->connection);
		s->waits = false;
	}
	pthread_mutex_unlock(&all->lock);
}

void event_streams_end(struct event_streams *all)
{
	pthread_mutex_lock(&all->lock);
	all->ended = true;
	pthread_mutex_unlock(&all->lock);
	event_streams_wake(all);
}
