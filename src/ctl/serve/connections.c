// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/connections.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/cli/clock.h"

struct connection {
	struct connection *older, *newer;
	struct MHD_Connection *connection;
	uint64_t asked_ns; // time of its last request, or when it was opened
	bool listed;
};

static void unlist(struct connections *all, struct connection *e)
{
	if (!e->listed)
		return;
	*(e->older ? &e->older->newer : &all->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &all->newest) = e->older;
	e->older = e->newer = NULL;
	e->listed = false;
	all->count--;
}

static void list(struct connections *all, struct connection *e)
{
	e->asked_ns = drb_clock_now();
	e->older = all->newest;
	*(e->older ? &e->older->newer : &all->oldest) = e;
	all->newest = e;
	e->listed = true;
	all->count++;
}

void connection_drop(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

static void make_room(struct connections *all)
{
	const uint64_t now = drb_clock_now();

	while (all->oldest &&
	       (all->count > CONNECTIONS_KEPT ||
		now - all->oldest->asked_ns > ANSWER_SECONDS * UINT64_C(1000000000))) {
		struct connection *e = all->oldest;
		unlist(all, e);
		connection_drop(e->connection);
	}
}

static struct connection *entry_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

void connections_notify(void *connections, struct MHD_Connection *c, void **entry,
			enum MHD_ConnectionNotificationCode what)
{
	struct connections *all = connections;
	struct connection *e = *entry;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (e)
			unlist(all, e);
		free(e);
		*entry = NULL;
		return;
	}
	e = calloc(1, sizeof(*e));
	if (!e) {
		connection_drop(c);
		return;
	}
	e->connection = c;
	*entry = e;
	list(all, e);
	make_room(all);
}

void connections_asked(struct connections *all, struct MHD_Connection *c)
{
	struct connection *e = entry_of(c);

	// A connection that was dropped stays unlisted.
	if (e && e->listed) {
		unlist(all, e);
		list(all, e);
	}
	make_room(all);
}

void connections_except(struct connections *all, struct MHD_Connection *c)
{
	struct connection *e = entry_of(c);

	if (e)
		unlist(all, e);
}
