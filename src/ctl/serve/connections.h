// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The open connections, ordered by their last request. When there are too many, or a client does not read its
// reply, the connection with the oldest request is closed. So a client that opens many connections closes its
// own, and a new viewer is served. Everything belongs to the daemon's thread.

#include <stddef.h>

#include <microhttpd.h>

// Connections at a time that are not about to be closed, and seconds for one answer.
#define CONNECTIONS_KEPT 900
#define ANSWER_SECONDS 30

struct connection;

struct connections {
	struct connection *oldest, *newest;
	size_t count;
};

// An MHD_NotifyConnectionCallback; all: struct connections.
void connections_notify(void *all, struct MHD_Connection *c, void **entry,
			enum MHD_ConnectionNotificationCode what);
// A request has come.
void connections_asked(struct connections *all, struct MHD_Connection *c);
// The request is for a stream of events, which lasts: the streams have a bound of their own.
void connections_except(struct connections *all, struct MHD_Connection *c);
// Closes the connection as soon as the daemon looks at it.
void connection_drop(struct MHD_Connection *c);
