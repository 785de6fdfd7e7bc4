// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/link_state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/passing.h"
#include "switch/ports/memif/memif_port.h"

// A client tries to reach its server with this period, at the same instants as other clients, so
// that a CPU wakes once for all of them. While the switch waits for its links, it tries more often.
#define LOOK_EVERY_US 100000
#define AWAITED_EVERY_US 5000

// Logs why there is no link, once for each reason.
__attribute__((format(printf, 2, 3))) static void complain(struct drb_memif_link *l,
							   const char *format, ...)
{
	char complaint[sizeof(l->complaint)];
	va_list args;

	va_start(args, format);
	vsnprintf(complaint, sizeof(complaint), format, args);
	va_end(args);
	if (strcmp(complaint, l->complaint) == 0)
		return;
	memcpy(l->complaint, complaint, sizeof(complaint));
	drb_warn("port %s: the other end of the memif link %s", l->port->setup->name, complaint);
}

static void look_again(struct drb_memif_link *l)
{
	const uint64_t period = l->all->settled ? LOOK_EVERY_US : AWAITED_EVERY_US;
	const struct timeval wait = {
		.tv_usec = (suseconds_t)(period - drb_clock_now() / 1000 % period)};

	event_add(l->again, &wait);
}

static void be_alone(struct drb_memif_link *l)
{
	drb_memif_channel_end(&l->channel);
	l->state = DRB_MEMIF_LINK_ALONE;
	if (l->opens)
		event_add(l->opens, NULL);
	else
		look_again(l);
}

// Adds the doorbells of all queues to the epoll sets of workers, or removes them. Returns 0 or
// -errno.
static int doorbells_watch(const struct drb_memif_link *l, int op)
{
	const struct drb_memif_port *own = drb_memif_port_of(l->port);
	int rc = 0;

	for (uint32_t n = 0; n < l->port->workers; n++) {
		const struct drb_doorbell *bell = drb_memif_channel_rx(&l->channel, n);
		// Edge-triggered: every ring is an event, and the descriptor need not be read.
		struct epoll_event event = {.events = EPOLLIN | EPOLLET,
					    .data.u64 = (uint32_t)bell->fd};
		const int set = own->queue[n].epoll_fd;
		if (set >= 0 && bell->ring && epoll_ctl(set, op, bell->fd, &event) < 0)
			rc = -errno;
	}
	return rc;
}

static void has_left(void *link, int rc)
{
	struct drb_memif_link *l = link;

	(void)rc; // always 0, because the change waits for stuck workers
	// The peer has these eventfds as well, so closing ours would not remove them from the sets.
	doorbells_watch(l, EPOLL_CTL_DEL);
	be_alone(l);
}

static void change_workers(struct drb_memif_link *l, bool has_link,
			   void (*done)(void *link, int rc))
{
	const struct drb_memif_host *host = l->all->host;

	atomic_store(&drb_memif_port_of(l->port)->channel, has_link ? &l->channel : NULL);
	host->change(host->context, l->port->index, has_link, done, l);
}

// Takes the rings from the workers. The memory stays until no worker has them.
static void let_go(struct drb_memif_link *l)
{
	l->state = DRB_MEMIF_LINK_LEAVES;
	if (l->opens)
		event_del(l->opens);
	change_workers(l, false, has_left);
}

static void hang_up(struct drb_memif_link *l)
{
	event_free(l->hears);
	close(l->fd);
	l->hears = NULL;
	l->fd = -1;
	if (l->state == DRB_MEMIF_LINK_UP)
		let_go(l);
	else if (l->state != DRB_MEMIF_LINK_JOINS) // otherwise has_joined() ends the link
		be_alone(l);
}

// Sends the message. Returns 0, or -errno: the other end is gone, or does not read.
static int answer_send(int fd, const struct drb_memif_answer *answer)
{
	return drb_pass(fd, &answer->message, sizeof(answer->message), answer->fd, MSG_DONTWAIT);
}

static void link_refuse(struct drb_memif_link *l, const char *why)
{
	struct drb_memif_answer answer;

	complain(l, "is refused: %s", why);
	drb_memif_channel_refuse(why, &answer);
	answer_send(l->fd, &answer);
	hang_up(l);
}

static void say_missing_pairs(const struct drb_memif_link *l)
{
	uint32_t pairs = 0;

	for (uint32_t n = 0; n < l->port->workers; n++)
		pairs += drb_memif_channel_tx(&l->channel, n)->ring != NULL;
	if (pairs < l->port->workers)
		drb_warn("port %s: the other end of the memif link has %u queues for %u workers: "
			 "what the "
			 "others send there is dropped: give both ends as many workers",
			 l->port->setup->name, pairs, l->port->workers);
}

static void answer_or_hang_up(struct drb_memif_link *l, const struct drb_memif_answer *answer)
{
	if (answer->any && answer_send(l->fd, answer) < 0)
		hang_up(l); // the other end is gone or does not read; do not wait for it
}

static void has_joined(void *link, int rc)
{
	struct drb_memif_link *l = link;

	if (rc < 0) { // no worker has the rings
		drb_warn("port %s: its memif peer waits for a worker that is stuck or gets no CPU: "
			 "restart the switch if `drbctl list` says stuck",
			 l->port->setup->name);
		atomic_store(&drb_memif_port_of(l->port)->channel, NULL);
		doorbells_watch(l, EPOLL_CTL_DEL);
		l->state = DRB_MEMIF_LINK_TALKS;
		if (l->fd >= 0)
			hang_up(l);
		else
			be_alone(l);
		return;
	}
	l->state = DRB_MEMIF_LINK_UP;
	l->has_come = true;
	if (l->fd < 0) {
		let_go(l);
		return;
	}
	l->complaint[0] = '\0';
	say_missing_pairs(l);
	answer_or_hang_up(l, &l->joined);
}

static void link_join(struct drb_memif_link *l, const struct drb_memif_answer *answer)
{
	l->joined = *answer;
	if (doorbells_watch(l, EPOLL_CTL_ADD) < 0) {
		doorbells_watch(l, EPOLL_CTL_DEL);
		link_refuse(l, "its doorbells cannot be waited for");
		return;
	}
	l->state = DRB_MEMIF_LINK_JOINS;
	change_workers(l, true, has_joined);
}

static void peer_hear(evutil_socket_t fd, short what, void *arg)
{
	struct drb_memif_link *l = arg;
	struct drb_memif_message message;
	struct drb_memif_answer answer;
	int passed;

	(void)what;
	const ssize_t size = drb_take_passed(fd, &message, sizeof(message), &passed, MSG_DONTWAIT);
	if (size == -EAGAIN)
		return;
	if (size <= 0) {
		if (size == 0 && !l->opens && l->channel.stage == DRB_MEMIF_GREETED)
			complain(l,
				 "hangs up: does it take %u rings each way, one for each worker?",
				 l->port->workers);
		hang_up(l);
		return;
	}
	const char *why =
		drb_memif_channel_hear(&l->channel, &message, (size_t)size, passed, &answer);
	if (answer.goodbye[0]) {
		complain(l, "hangs up: %s", answer.goodbye);
		hang_up(l);
	} else if (why) {
		link_refuse(l, why);
	} else if (l->channel.stage == DRB_MEMIF_JOINED && l->state == DRB_MEMIF_LINK_TALKS) {
		link_join(l, &answer);
	} else {
		answer_or_hang_up(l, &answer);
	}
}

// Makes an event for messages of another process, at the lowest priority, because they may never
// end.
static struct event *new_event(struct drb_memif_link *l, int fd, event_callback_fn call)
{
	struct event_base *base = l->all->host->base;
	struct event *e = event_new(base, fd, EV_READ | EV_PERSIST, call, l);

	if (e)
		event_priority_set(e, event_base_get_npriorities(base) - 1);
	return e;
}

// Begins the handshake on a connected socket. Takes ownership of the socket.
static void talk(struct drb_memif_link *l, int fd)
{
	struct drb_memif_answer answer;

	l->hears = new_event(l, fd, peer_hear);
	if (!l->hears || event_add(l->hears, NULL) < 0) {
		drb_error("port %s: no memory for its memif link", l->port->setup->name);
		if (l->hears)
			event_free(l->hears);
		l->hears = NULL;
		close(fd);
		be_alone(l);
		return;
	}
	l->fd = fd;
	l->state = DRB_MEMIF_LINK_TALKS;
	drb_memif_channel_begin(&l->channel, l->opens, l->port->workers,
				drb_memif_log2_ring(l->port), &answer);
	answer_or_hang_up(l, &answer);
}

// Accepts a client, which replaces an earlier client whose handshake is not complete.
static void open_door(evutil_socket_t door, short what, void *arg)
{
	struct drb_memif_link *l = arg;
	struct drb_memif_answer answer;

	if (l->fd >= 0)
		peer_hear(l->fd, what, l); // the earlier client may have gone
	if (l->state == DRB_MEMIF_LINK_LEAVES)
		return; // be_alone() watches the door again
	int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) { // too many files are open: the event would come again at once
		event_del(l->opens);
		look_again(l);
	} else if (l->state == DRB_MEMIF_LINK_UP || l->state == DRB_MEMIF_LINK_JOINS) {
		drb_memif_channel_refuse("it has another client", &answer);
		answer_send(fd, &answer);
		close(fd);
	} else {
		if (l->state == DRB_MEMIF_LINK_TALKS)
			hang_up(l);
		talk(l, fd);
	}
}

static void has_called(void *link, int rc)
{
	struct drb_memif_link *l = link;
	const int fd = l->fd;

	l->fd = -1;
	l->state = DRB_MEMIF_LINK_ALONE;
	if (rc == 0) {
		talk(l, fd);
		return;
	}
	close(fd);
	look_again(l);
}

static void find_server(struct drb_memif_link *l)
{
	const struct drb_memif_host *host = l->all->host;

	l->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0) {
		look_again(l);
		return;
	}
	l->state = DRB_MEMIF_LINK_CALLS;
	host->connect(host->context, l->port->index, l->fd, has_called, l);
}

static void try_again(evutil_socket_t none, short what, void *arg)
{
	struct drb_memif_link *l = arg;

	(void)none, (void)what;
	if (l->opens && l->state != DRB_MEMIF_LINK_LEAVES) // be_alone() does it later
		event_add(l->opens, NULL);
	else if (l->state == DRB_MEMIF_LINK_ALONE)
		find_server(l);
}

bool drb_memif_link_begin(struct drb_memif_link *l, struct drb_memif_links *all,
			  struct drb_port *port)
{
	const int door = drb_memif_port_of(port)->door;

	*l = (struct drb_memif_link){.all = all, .port = port, .fd = -1};
	l->again = evtimer_new(all->host->base, try_again, l);
	if (door >= 0)
		l->opens = new_event(l, door, open_door);
	if (!l->again || (door >= 0 && !l->opens))
		return false;
	try_again(-1, 0, l);
	return true;
}

void drb_memif_link_end(struct drb_memif_link *l)
{
	if (l->state == DRB_MEMIF_LINK_CALLS)
		close(l->fd);
	else if (l->fd >= 0)
		hang_up(l);
	if (l->again)
		event_free(l->again);
	if (l->opens)
		event_free(l->opens);
}
