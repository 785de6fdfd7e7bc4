// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The open connections, ordered by their last request. When there are too many, the connection with
// the oldest request is closed. A connection whose client does not read its reply in time is
// closed, too. If a client opens many connections, it therefore loses its own ones, and a new
// viewer is still served. Only the daemon's thread calls these functions.

#include <stddef.h>

#include <microhttpd.h>

// Most connections at a time, except those that are being closed; seconds for one answer.
#define CONNECTIONS_KEPT 900
#define ANSWER_SECONDS 30

struct connection;

struct connections {
	struct connection *oldest, *newest; // freed by connections_notify()
	size_t count;
};

// An MHD_NotifyConnectionCallback; `all` is a struct connections.
void connections_notify(void *all, struct MHD_Connection *c, void **entry,
			enum MHD_ConnectionNotificationCode what);
// Call for each request: the connection becomes the newest.
void connections_asked(struct connections *all, struct MHD_Connection *c);
// Takes a connection out of the list because its request is for a stream of events. Streams last,
// and event_stream.h limits their number.
void connections_except(struct connections *all, struct MHD_Connection *c);
// Shuts the socket down, so that the daemon closes the connection when it next handles it.
void connection_drop(struct MHD_Connection *c);
