// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/stats_clients.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/file_limit.h"
#include "common/telemetry/telemetry_client.h"

// What DPDK reads of a request, and more than it ever replies.
#define REQUEST_MAX 1023
#define REPLY_MAX (64 << 10)
#define GREETING_MAX 1024
#define BACKLOG 512
#define EVENTS 64
// How often clients that do not take their replies are looked for.
#define LOOK_EVERY_MS 500
// How long nobody is accepted for after there was no descriptor for one.
#define REST_MS 100
// Of the descriptors of this process, for all else than clients.
#define OTHER_FDS 512

#define NOBODY UINT32_MAX
// Events that are of no client.
#define LISTENER NOBODY
#define SERVER (NOBODY - 1)

enum state {
	FREE,
	SILENT,  // has not asked since it was served
	WAITING, // has asked
	SERVED,  // DPDK has its request
	FULL,    // asks, but does not take replies
};

struct client {
	int fd;
	enum state state;
	uint32_t next;     // the next that waits; NOBODY: the last one
	uint64_t since_ns; // since when it is in this state
};

// Of DPDK's listening thread alone.
static struct {
	int epoll_fd, listener;
	int server; // our end of the one connection that DPDK serves
	char greeting[GREETING_MAX];
	size_t greeting_length;
	uint32_t first, last; // who waits
	uint32_t served;      // whose request DPDK has; NOBODY: none
	uint32_t full;        // how many clients do not take replies
	uint64_t rests_ns;    // until then nobody is accepted; 0: clients are
	uint32_t most;        // clients that there are descriptors for
	struct client client[DRB_STATS_CLIENTS_MAX];
} all = {.epoll_fd = -1, .server = -1};

int __real_accept(int fd, struct sockaddr *address, socklen_t *length);
int __wrap_accept(int fd, struct sockaddr *address, socklen_t *length);

void drb_stats_clients_begin(void)
{
	drb_files_allow(DRB_STATS_CLIENTS_MAX + OTHER_FDS);
}

// No more than half of the descriptors where there are few.
static uint32_t most_clients(void)
{
	const uint64_t files = drb_files_allow(DRB_STATS_CLIENTS_MAX + OTHER_FDS);

	if (files == DRB_STATS_CLIENTS_MAX + OTHER_FDS)
		return DRB_STATS_CLIENTS_MAX;
	uint64_t half = files / 2;
	return half < DRB_STATS_CLIENTS_MAX ? (uint32_t)half : DRB_STATS_CLIENTS_MAX;
}

static int watch(int fd, uint32_t events, uint32_t who, int how)
{
	struct epoll_event event = {.events = events, .data.u32 = who};

	return epoll_ctl(all.epoll_fd, how, fd, &event);
}

static void enter(uint32_t n, enum state state)
{
	struct client *c = &all.client[n];

	all.full += (state == FULL) - (c->state == FULL);
	c->state = state;
	c->since_ns = drb_clock_now();
}

static void let_go(uint32_t n)
{
	close(all.client[n].fd); // and so it leaves the epoll set
	enter(n, FREE);
}

// Waits for its next request, or until it can take a reply. Once: it may say what it likes while it
// waits for its turn.
static void listen_to(uint32_t n, enum state state)
{
	uint32_t events = (state == FULL ? EPOLLOUT : EPOLLIN) | EPOLLRDHUP | EPOLLONESHOT;

	enter(n, state);
	if (watch(all.client[n].fd, events, n, EPOLL_CTL_MOD) < 0)
		let_go(n);
}

// A place for one more client: a free one or that of the client that has been silent for longest.
// NOBODY if all others are at work.
static uint32_t make_room(void)
{
	uint32_t oldest = NOBODY;

	for (uint32_t n = 0; n < all.most; n++) {
		const struct client *c = &all.client[n];
		if (c->state == FREE)
			return n;
		if ((c->state == SILENT || c->state == FULL) &&
		    (oldest == NOBODY || c->since_ns < all.client[oldest].since_ns))
			oldest = n;
	}
	if (oldest != NOBODY)
		let_go(oldest);
	return oldest;
}

static void take_client(void)
{
	int fd = accept4(all.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		// Who waits goes on waiting, and would be announced again at once.
		if (errno != EAGAIN && watch(all.listener, 0, LISTENER, EPOLL_CTL_MOD) == 0)
			all.rests_ns = drb_clock_now() + REST_MS * UINT64_C(1000000);
		return;
	}
	uint32_t n = make_room();
	if (n == NOBODY || send(fd, all.greeting, all.greeting_length, MSG_NOSIGNAL) < 0 ||
	    watch(fd, EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, n, EPOLL_CTL_ADD) < 0) {
		close(fd);
		return;
	}
	all.client[n].fd = fd;
	enter(n, SILENT);
}

static void queue(uint32_t n)
{
	enter(n, WAITING);
	all.client[n].next = NOBODY;
	if (all.first == NOBODY)
		all.first = n;
	else
		all.client[all.last].next = n;
	all.last = n;
}

static bool takes_replies(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	// The kernel calls a socket writable while it has room for replies of any length.
	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

// Hands its request to DPDK. Who ended, or says what no request is, is let go.
static void serve(uint32_t n)
{
	struct client *c = &all.client[n];
	char request[REQUEST_MAX];

	if (!takes_replies(c->fd)) {
		listen_to(n, FULL);
		return;
	}
	ssize_t length = recv(c->fd, request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
	if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
		listen_to(n, SILENT);
	} else if (length <= 0 || length > REQUEST_MAX ||
		   send(all.server, request, (size_t)length, MSG_NOSIGNAL) < 0) {
		let_go(n);
	} else {
		enter(n, SERVED);
		all.served = n;
	}
}

static void serve_next(void)
{
	while (all.served == NOBODY && all.first != NOBODY) {
		uint32_t n = all.first;
		all.first = all.client[n].next;
		serve(n);
	}
}

// False if DPDK has ended the connection.
static bool pass_reply(void)
{
	static char reply[REPLY_MAX];
	ssize_t length = recv(all.server, reply, sizeof(reply), MSG_DONTWAIT);
	uint32_t n = all.served;

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	all.served = NOBODY;
	if (n != NOBODY) {
		if (length > 0 && send(all.client[n].fd, reply, (size_t)length,
				       MSG_NOSIGNAL | MSG_DONTWAIT) == length)
			listen_to(n, SILENT);
		else
			let_go(n);
	}
	return length > 0;
}

static void let_go_of_full(void)
{
	uint64_t now = drb_clock_now();

	for (uint32_t n = 0; all.full > 0 && n < all.most; n++) {
		const struct client *c = &all.client[n];
		if (c->state == FULL && now - c->since_ns > DRB_STATS_TAKE_WITHIN_NS)
			let_go(n);
	}
}

static void accept_again(void)
{
	if (drb_clock_now() >= all.rests_ns &&
	    watch(all.listener, EPOLLIN, LISTENER, EPOLL_CTL_MOD) == 0)
		all.rests_ns = 0;
}

static void serve_clients(void)
{
	struct epoll_event events[EVENTS];
	bool goes_on = true;

	while (goes_on) {
		int wait_ms = all.rests_ns ? REST_MS : all.full ? LOOK_EVERY_MS : -1;
		int count = epoll_wait(all.epoll_fd, events, EVENTS, wait_ms);
		if (count < 0 && errno != EINTR)
			return;
		for (int i = 0; i < count; i++) {
			uint32_t who = events[i].data.u32;
			if (who == LISTENER)
				take_client();
			else if (who == SERVER)
				goes_on &= pass_reply();
			else if (all.client[who].state == SILENT || all.client[who].state == FULL)
				queue(who);
		}
		serve_next();
		if (all.full)
			let_go_of_full();
		if (all.rests_ns)
			accept_again();
	}
}

static bool is_stats_socket(int fd)
{
	struct sockaddr_un address = {0};
	socklen_t length = sizeof(address) - 1;

	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0 ||
	    address.sun_family != AF_UNIX)
		return false;
	const char *name = strrchr(address.sun_path, '/');
	return name && strcmp(name + 1, DRB_TELEMETRY_SOCKET) == 0;
}

static void begin(int listener)
{
	all.listener = listener;
	all.first = all.served = NOBODY;
	all.most = most_clients();
	listen(listener, BACKLOG); // DPDK lets one wait
	all.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (all.epoll_fd >= 0 && watch(listener, EPOLLIN, LISTENER, EPOLL_CTL_ADD) < 0) {
		close(all.epoll_fd);
		all.epoll_fd = -1;
	}
}

// A connection for DPDK to serve: its end, or -1.
static int connect_server(void)
{
	int ends[2];

	if (all.server >= 0)
		close(all.server);
	all.server = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	all.server = ends[0];
	all.greeting_length = 0;
	return ends[1];
}

// DPDK accepts: the first time it gets our connection; then this is the thread that serves all clients.
int __wrap_accept(int fd, struct sockaddr *address, socklen_t *length)
{
	if (!is_stats_socket(fd))
		return __real_accept(fd, address, length);
	if (all.epoll_fd < 0)
		begin(fd);
	if (all.epoll_fd < 0)
		return __real_accept(fd, address, length);
	if (all.server >= 0) {
		ssize_t greeted = recv(all.server, all.greeting, sizeof(all.greeting), 0);
		all.greeting_length = greeted > 0 ? (size_t)greeted : 0;
		if (greeted > 0 && watch(all.server, EPOLLIN, SERVER, EPOLL_CTL_ADD) == 0)
			serve_clients();
	}
	return connect_server();
}
