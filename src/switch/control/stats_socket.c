// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>
#include <event2/event_struct.h>

#include <rte_version.h>

#include "common/cli/file_limit.h"
#include "common/cli/log.h"

#define REQUEST_MAX 1023 // as in DPDK
#define BACKLOG 512
// How often who waits for a reply is looked after.
#define LOOK_EVERY_US 5000
// How long nobody is accepted for after there was no descriptor for one.
#define REST_MS 100
// Of the descriptors of this process, for all else than clients.
#define OTHER_FDS 512

struct client {
	TAILQ_ENTRY(client) link;
	struct drb_stats_socket *socket;
	int fd;
	// It asks; or it takes replies again, or the time for that is over; or its reply may be ready.
	struct event event;
	bool waits;      // for its reply
	uint64_t number; // of that: see ready()
	char request[REQUEST_MAX + 1];
};

struct drb_stats_socket {
	struct sockaddr_un address;
	const struct drb_stats_command *commands;
	size_t count;
	void *context;
	struct event_base *base;
	int fd;
	struct event listener, rest;
	TAILQ_HEAD(clients, client) clients; // who has been silent for longest is the first
	uint32_t connected, most;            // most: that there are descriptors for
};

static json_t *list_commands(const char *parameter, void *socket);
static json_t *help(const char *parameter, void *socket);
static json_t *greeting(const char *parameter, void *socket);

// What every such socket knows; of the socket itself.
static const struct drb_stats_command own[] = {
	{"/", "All commands", list_commands, NULL},
	{"/help", "What a command replies. Parameter: the command", help, NULL},
	{"/info", "The greeting: version of DPDK, process, longest reply", greeting, NULL},
};
#define OWN (sizeof(own) / sizeof(own[0]))

static const struct drb_stats_command *command_at(const struct drb_stats_socket *s, size_t i)
{
	return i < OWN ? &own[i] : i - OWN < s->count ? &s->commands[i - OWN] : NULL;
}

static json_t *list_commands(const char *parameter, void *socket)
{
	const struct drb_stats_command *c;
	json_t *list = json_array();

	(void)parameter;
	for (size_t i = 0; (c = command_at(socket, i)); i++)
		json_array_append_new(list, json_string(c->path));
	return list;
}

static json_t *help(const char *parameter, void *socket)
{
	const struct drb_stats_command *c;

	for (size_t i = 0; parameter && (c = command_at(socket, i)); i++) {
		if (strcmp(c->path, parameter) == 0)
			return json_pack("{s:s}", c->path, c->help);
	}
	return NULL;
}

static json_t *greeting(const char *parameter, void *socket)
{
	(void)parameter, (void)socket;
	return json_pack("{s:s, s:i, s:i}", "version", rte_version(), "pid", (int)getpid(),
			 "max_output_len", DRB_STATS_REPLY_MAX);
}

static const struct drb_stats_command *command_of(const struct drb_stats_socket *s,
						  const char *request)
{
	const size_t length = strcspn(request, ",");
	const struct drb_stats_command *c;

	for (size_t i = 0; (c = command_at(s, i)); i++) {
		if (strncmp(c->path, request, length) == 0 && !c->path[length])
			return c;
	}
	return NULL;
}

// Sends an object, which is given back. False: it cannot be sent.
static bool say(int fd, json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	const size_t length = text ? strlen(text) : 0;
	const bool said = text && send(fd, text, length, MSG_NOSIGNAL) == (ssize_t)length;

	free(text);
	json_decref(object);
	return said;
}

static void let_go(struct client *c)
{
	TAILQ_REMOVE(&c->socket->clients, c, link);
	c->socket->connected--;
	event_del(&c->event);
	close(c->fd);
	free(c);
}

static void on_client(int fd, short what, void *client);

// For this; after all else that the loop has to do. False: the client is let go.
static bool wait_for(struct client *c, short what, const struct timeval *within)
{
	struct event_base *base = c->socket->base;

	event_del(&c->event);
	event_assign(&c->event, base, c->fd, what, on_client, c);
	event_priority_set(&c->event, event_base_get_npriorities(base) - 1);
	if (event_add(&c->event, within) == 0)
		return true;
	let_go(c);
	return false;
}

static bool takes_replies(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	// The kernel calls a socket writable while it has room for replies of any length.
	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

static void answer(struct client *c, const struct drb_stats_command *command)
{
	const struct drb_stats_socket *s = c->socket;
	const bool is_own = command >= own && command < own + OWN;
	char *comma = strchr(c->request, ',');

	if (comma)
		*comma = '\0';
	json_t *value = command ? command->reply(comma && comma[1] ? comma + 1 : NULL,
						 is_own ? (void *)(uintptr_t)s : s->context)
				: NULL;
	// A key must be text; any may be asked for.
	for (char *key = c->request; *key; key++) {
		if (*key < ' ' || *key >= 0x7f)
			*key = '?';
	}
	if (!say(c->fd, json_pack("{s:o?}", c->request, value)))
		let_go(c);
}

static void answer_when_ready(struct client *c)
{
	static const struct timeval look_again = {.tv_usec = LOOK_EVERY_US};
	const struct drb_stats_command *command = command_of(c->socket, c->request);
	const bool waited = c->waits;

	c->waits = command && command->ready && !command->ready(&c->number, c->socket->context);
	if (c->waits)
		wait_for(c, 0, &look_again);
	else if (!waited || wait_for(c, EV_READ | EV_PERSIST, NULL))
		answer(c, command);
}

// Who ended, or says what no request is, is let go.
static void take_request(struct client *c)
{
	struct clients *all = &c->socket->clients;
	ssize_t length = recv(c->fd, c->request, REQUEST_MAX, MSG_TRUNC);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0 || length > REQUEST_MAX) {
		let_go(c);
		return;
	}
	c->request[length] = '\0';
	c->number = 0;
	TAILQ_REMOVE(all, c, link);
	TAILQ_INSERT_TAIL(all, c, link);
	answer_when_ready(c);
}

static void on_client(int fd, short what, void *client)
{
	static const struct timeval take_within = {.tv_sec = DRB_STATS_TAKE_WITHIN_S};
	struct client *c = client;

	if (c->waits)
		answer_when_ready(c);
	else if (what & EV_TIMEOUT)
		let_go(c);
	else if (what & EV_WRITE)
		wait_for(c, EV_READ | EV_PERSIST, NULL);
	else if (!takes_replies(fd))
		wait_for(c, EV_WRITE, &take_within);
	else
		take_request(c);
}

// Greeted, it is one more client; or it is closed.
static void take_client(struct drb_stats_socket *s, int fd)
{
	const int room = DRB_STATS_REPLY_MAX;
	struct client *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return;
	}
	if (s->connected == s->most)
		let_go(TAILQ_FIRST(&s->clients));
	*c = (struct client){.socket = s, .fd = fd};
	TAILQ_INSERT_TAIL(&s->clients, c, link);
	s->connected++;
	event_assign(&c->event, s->base, fd, 0, on_client, c);
	// The kernel counts twice that, for what is not text, as well.
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (wait_for(c, EV_READ | EV_PERSIST, NULL) && !say(fd, greeting(NULL, s)))
		let_go(c);
}

// One at a time, so that who is connected is asked in between.
static void on_listener(int listener, short what, void *socket)
{
	const struct timeval rest = {.tv_usec = REST_MS * 1000};
	struct drb_stats_socket *s = socket;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)what;
	if (fd >= 0) {
		take_client(s, fd);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		// Who waits goes on waiting, and would be announced again at once.
		if (event_add(&s->rest, &rest) == 0)
			event_del(&s->listener);
	}
}

static void on_rest(int fd, short what, void *socket)
{
	struct drb_stats_socket *s = socket;

	(void)fd, (void)what;
	event_add(&s->listener, NULL);
}

// No more than half of the descriptors where there are few.
static uint32_t most_clients(void)
{
	const uint64_t wanted = DRB_STATS_CLIENTS_MAX + OTHER_FDS;
	const uint64_t files = drb_files_allow(wanted), half = files / 2;

	return files == wanted || half > DRB_STATS_CLIENTS_MAX ? DRB_STATS_CLIENTS_MAX
							       : (uint32_t)half;
}

// Of this user alone. A descriptor, or -errno.
static int listen_at(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	unlink(address->sun_path);
	// The name gets the mode of the socket: at no time may others connect.
	if (fchmod(fd, 0600) < 0 ||
	    bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

struct drb_stats_socket *drb_stats_socket_open(struct event_base *base, const char *path,
					       const struct drb_stats_command *commands,
					       size_t count, void *context)
{
	struct drb_stats_socket *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s) {
		*s = (struct drb_stats_socket){.address = {.sun_family = AF_UNIX},
					       .commands = commands,
					       .count = count,
					       .context = context,
					       .base = base,
					       .most = most_clients()};
		TAILQ_INIT(&s->clients);
		snprintf(s->address.sun_path, sizeof(s->address.sun_path), "%s", path);
		s->fd = rc = listen_at(&s->address);
	}
	if (rc < 0) {
		drb_error("cannot make the stats socket %s: %s", path, strerror(-rc));
		free(s);
		return NULL;
	}
	event_assign(&s->listener, base, s->fd, EV_READ | EV_PERSIST, on_listener, s);
	event_priority_set(&s->listener, event_base_get_npriorities(base) - 1);
	evtimer_assign(&s->rest, base, on_rest, s);
	event_add(&s->listener, NULL);
	return s;
}

void drb_stats_socket_close(struct drb_stats_socket *s)
{
	struct client *c;

	while ((c = TAILQ_FIRST(&s->clients)))
		let_go(c);
	event_del(&s->listener);
	event_del(&s->rest);
	close(s->fd);
	unlink(s->address.sun_path);
	free(s);
}
