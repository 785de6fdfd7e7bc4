// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_socket.h"

#include <errno.h>
#include <fcntl.h>
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

#include "common/cli/file_limit.h"
#include "common/cli/log.h"
#include "common/cli/operators.h"
#include "core/counters.h"
#include "switch/control/stats_lookup.h"

#define NO_OPERATOR                                                                                \
	DRB_REPLY_ERROR ": only root and members of the group of process.operators may give "      \
			"orders"
#define REQUEST_MAX 1023 // as in DPDK
#define BACKLOG 512
// If no descriptor is left for a client, none is accepted for this time.
#define REST_MS 100
// Descriptors that the process needs for anything but clients.
#define OTHER_FDS 512

struct client {
	TAILQ_ENTRY(client) link;
	struct drb_stats_socket *socket;
	int fd;
	// Occurs when a request came, when the client can take replies again or did not do so in
	// time, or when its reply may be ready.
	struct event event;
	bool waits;                      // for its reply
	uint64_t number;                 // see ready()
	struct drb_stats_request *begun; // order under way; NULL: none
	char request[REQUEST_MAX + 1];
};

struct drb_stats_request {
	struct client *client; // NULL: no client waits for the reply any more
};

struct drb_stats_socket {
	struct sockaddr_un address;
	struct drb_stats_service service;
	struct event_base *base;
	int fd;
	struct event listener, rest;
	TAILQ_HEAD(clients, client) clients; // by their last request, the oldest first
	uint32_t connected, most;            // most: limit by descriptors
};

// Sends an object and releases it. False: it could not be sent.
static bool object_send(int fd, json_t *object)
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
	if (c->begun)
		c->begun->client = NULL;
	event_del(&c->event);
	close(c->fd);
	free(c);
}

static void on_client(int fd, short what, void *client);

// Waits for events on the client, at the lowest priority of the loop. False: no memory, and the
// client is closed.
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

	// The kernel reports a socket as writable if it has space for a reply of any length.
	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

// Takes ownership of the value.
static void send_reply(struct client *c, json_t *value)
{
	c->request[strcspn(c->request, ",")] = '\0';
	// The key must be valid text, but a request may contain any bytes.
	for (char *key = c->request; *key; key++) {
		if (*key < ' ' || *key >= 0x7f)
			*key = '?';
	}
	if (!object_send(c->fd, json_pack("{s:o?}", c->request, value)))
		let_go(c);
}

static void stop_waiting(struct client *c, json_t *value)
{
	c->waits = false;
	if (wait_for(c, EV_READ | EV_PERSIST, NULL))
		send_reply(c, value);
	else
		json_decref(value);
}

void drb_stats_reply(struct drb_stats_request *request, json_t *value)
{
	struct client *c = request->client;

	free(request);
	if (!c) {
		json_decref(value);
		return;
	}
	c->begun = NULL;
	stop_waiting(c, value);
}

static const char *parameter_of(struct client *c)
{
	char *comma = strchr(c->request, ',');

	return comma && comma[1] ? comma + 1 : NULL;
}

static void request_begin(struct client *c, const struct drb_stats_command *command)
{
	static const struct timeval within = {.tv_usec = DRB_STATS_REPLY_WITHIN_MS * 1000};

	struct drb_stats_request *r = malloc(sizeof(*r));
	if (!r) {
		send_reply(c, NULL);
		return;
	}
	r->client = c;
	c->begun = r;
	c->waits = true;
	if (wait_for(c, 0, &within))
		command->begin(parameter_of(c), r, c->socket->service.context);
	else
		free(r);
}

static void answer_when_ready(struct client *c)
{
	const struct drb_stats_service *service = &c->socket->service;
	const struct drb_stats_command *command = drb_stats_find(service, c->request);
	const bool waited = c->waits;

	c->waits = command && command->ready && !command->ready(&c->number, service->context);
	if (c->waits)
		wait_for(c, 0, NULL);
	else if (waited)
		stop_waiting(c, drb_stats_value(service, command, parameter_of(c)));
	else if (command && command->begin && !drb_operators_include(service->operators, c->fd))
		send_reply(c, json_string(NO_OPERATOR));
	else if (command && command->begin)
		request_begin(c, command);
	else
		send_reply(c, drb_stats_value(service, command, parameter_of(c)));
}

// The order goes on, but its client gets DRB_STATS_LATE now.
static void answer_late(struct client *c)
{
	c->begun->client = NULL;
	c->begun = NULL;
	stop_waiting(c, json_string(DRB_STATS_LATE));
}

void drb_stats_socket_look(struct drb_stats_socket *s)
{
	for (struct client *c = TAILQ_FIRST(&s->clients); c; c = TAILQ_NEXT(c, link)) {
		if (c->waits && !c->begun)
			event_active(&c->event, EV_TIMEOUT, 0);
	}
}

// Reads a request. A client that has ended, or whose request is too long, is closed.
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

	if (c->begun)
		answer_late(c);
	else if (c->waits)
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

// Greets a new client, or closes it. Beyond the limit, the client that has been silent for longest
// is closed.
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
	// The kernel doubles this value, to account for its own overhead.
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (wait_for(c, EV_READ | EV_PERSIST, NULL) && !object_send(fd, drb_stats_greeting()))
		let_go(c);
}

// Accepts one client per event, so that connected clients are served in between.
static void on_listener(int listener, short what, void *socket)
{
	const struct timeval rest = {.tv_usec = REST_MS * 1000};
	struct drb_stats_socket *s = socket;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)what;
	if (fd >= 0) {
		take_client(s, fd);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		// The connection stays pending, so the listener would be readable again at once.
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

#define FDS_WANTED (DRB_STATS_CLIENTS_MAX + OTHER_FDS)

// If descriptors are scarce, clients get at most half of them.
static uint32_t most_clients(void)
{
	const uint64_t files = drb_files_allow(FDS_WANTED), half = files / 2;

	return files == FDS_WANTED || half > DRB_STATS_CLIENTS_MAX ? DRB_STATS_CLIENTS_MAX
								   : (uint32_t)half;
}

// Makes the kernel enlarge the table of descriptors to its full size now. Later, with several
// threads, that takes milliseconds, for instance in accept().
static void make_room(int any_fd)
{
	const int last = fcntl(any_fd, F_DUPFD_CLOEXEC, (int)drb_files_allow(FDS_WANTED) - 1);

	if (last >= 0)
		close(last);
}

int drb_stats_listen(const struct sockaddr_un *address, const struct drb_operators *operators)
{
	// The folder admits only the user, and the group of the operators if there is one.
	const mode_t mode = operators->group == (gid_t)-1 ? 0600 : 0666;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	unlink(address->sun_path);
	// bind() gives the name the mode of the socket, so others cannot connect at any time.
	const mode_t mask = umask(0);
	const bool bound = fchmod(fd, mode) == 0 &&
			   bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 &&
			   listen(fd, BACKLOG) == 0;
	const int error = -errno;
	umask(mask);
	if (bound)
		return fd;
	close(fd);
	return error;
}

struct drb_stats_socket *drb_stats_socket_open(struct event_base *base, const char *path,
					       const struct drb_stats_service *service)
{
	struct drb_stats_socket *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s) {
		*s = (struct drb_stats_socket){.address = {.sun_family = AF_UNIX},
					       .service = *service,
					       .base = base,
					       .most = most_clients()};
		TAILQ_INIT(&s->clients);
		snprintf(s->address.sun_path, sizeof(s->address.sun_path), "%s", path);
		s->fd = rc = drb_stats_listen(&s->address, service->operators);
	}
	if (rc < 0) {
		drb_error("cannot make the stats socket %s: %s", path, strerror(-rc));
		free(s);
		return NULL;
	}
	make_room(s->fd);
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
