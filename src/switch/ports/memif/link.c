// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/link.h"

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

// A client looks for its server this often, at the same instants as others: a CPU is woken once for all of them. While
// the switch waits for its links, more often.
#define LOOK_EVERY_US 100000
#define AWAITED_EVERY_US 5000

enum state {
	ALONE, // nobody is at the other end
	TALKS, // the rings are not agreed on yet
	UP,    // workers have the rings
	LEAVES // the channel is over, and some worker may have the rings
};

struct link {
	struct drb_memif_links *all;
	struct drb_port *port;
	enum state state;
	bool waits;          // for a worker that is stuck, which was said
	int fd;              // the channel's socket; -1: none
	struct event *hears; // the other end says something; NULL: no socket
	struct event *opens; // a client is at the server's door; NULL: this end is a client
	struct event *again; // what could not be done is tried again
	struct drb_memif_channel channel;
	char complaint[160]; // said last: who is there may come and go many times a second
};

struct drb_memif_links {
	const struct drb_memif_host *host;
	bool settled; // see drb_memif_links_settle()
	uint32_t count;
	struct link link[];
};

// Says why there is no link, once.
__attribute__((format(printf, 2, 3))) static void complain(struct link *l, const char *format, ...)
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

static void look_again(struct link *l)
{
	const uint64_t period = l->all->settled ? LOOK_EVERY_US : AWAITED_EVERY_US;
	const struct timeval wait = {
		.tv_usec = (suseconds_t)(period - drb_clock_now() / 1000 % period)};

	event_add(l->again, &wait);
}

static void be_alone(struct link *l)
{
	drb_memif_channel_end(&l->channel);
	l->state = ALONE;
	l->waits = false;
	if (l->opens)
		event_add(l->opens, NULL);
	else
		look_again(l);
}

// Workers take up the rings of the channel, or let go of them. -errno: of some it is not known.
static int change_workers(struct link *l, const struct drb_memif_channel *channel)
{
	const struct drb_memif_host *host = l->all->host;

	atomic_store(&drb_memif_port_of(l->port)->channel, channel);
	int rc = drb_port_apply(l->port, drb_memif_port_change, l->port);
	if (rc == 0)
		rc = host->changed(host->context, l->port->index, channel);
	if (rc < 0 && !l->waits)
		drb_warn("port %s: its memif peer comes or goes, which waits for a worker that is "
			 "stuck or gets no CPU: restart the switch if `drbctl list` says stuck",
			 l->port->setup->name);
	l->waits = rc < 0;
	return rc;
}

// The bells of all queues come into the sets that workers sleep on, or go. 0 or -errno.
static int watch(const struct link *l, int op)
{
	const struct drb_memif_port *own = drb_memif_port_of(l->port);
	int rc = 0;

	for (uint32_t n = 0; n < l->port->workers; n++) {
		const struct drb_doorbell *bell = drb_memif_channel_rx(&l->channel, n);
		// By edge: every ring is one, so that nobody needs to read the descriptor.
		struct epoll_event event = {.events = EPOLLIN | EPOLLET,
					    .data.u64 = (uint32_t)bell->fd};
		const int set = own->queue[n].epoll_fd;
		if (set >= 0 && bell->ring && epoll_ctl(set, op, bell->fd, &event) < 0)
			rc = -errno;
	}
	return rc;
}

// The memory stays until no worker has the rings.
static void let_go(struct link *l)
{
	if (change_workers(l, NULL) < 0) {
		look_again(l);
		return;
	}
	// The peer has these eventfds as well: closing ours would not take them out.
	watch(l, EPOLL_CTL_DEL);
	be_alone(l);
}

static void hang_up(struct link *l)
{
	event_free(l->hears);
	close(l->fd);
	l->hears = NULL;
	l->fd = -1;
	if (l->state != UP) {
		be_alone(l);
		return;
	}
	l->state = LEAVES;
	if (l->opens)
		event_del(l->opens);
	let_go(l);
}

// 0, or -errno: the other end is gone, or reads nothing.
static int say(int fd, const struct drb_memif_answer *answer)
{
	return drb_pass(fd, &answer->message, sizeof(answer->message), answer->fd, MSG_DONTWAIT);
}

static void refuse(struct link *l, const char *why)
{
	struct drb_memif_answer answer;

	complain(l, "is refused: %s", why);
	drb_memif_channel_refuse(why, &answer);
	say(l->fd, &answer);
	hang_up(l);
}

static void say_missing_pairs(const struct link *l)
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

// False if it cannot be, and is over.
static bool join(struct link *l)
{
	l->state = UP;
	if (watch(l, EPOLL_CTL_ADD) < 0) {
		refuse(l, "its doorbells cannot be waited for");
		return false;
	}
	if (change_workers(l, &l->channel) < 0) {
		hang_up(l);
		return false;
	}
	l->complaint[0] = '\0';
	say_missing_pairs(l);
	return true;
}

static void answer_or_hang_up(struct link *l, const struct drb_memif_answer *answer)
{
	if (answer->any && say(l->fd, answer) < 0)
		hang_up(l); // who has gone is heard, and who does not listen is not waited for
}

static void hear(evutil_socket_t fd, short what, void *arg)
{
	struct link *l = arg;
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
		refuse(l, why);
	} else if (l->channel.stage != DRB_MEMIF_JOINED || join(l)) {
		answer_or_hang_up(l, &answer);
	}
}

// Of what another process says, which comes last: it may say it without end.
static struct event *new_event(struct link *l, int fd, event_callback_fn call)
{
	struct event_base *base = l->all->host->base;
	struct event *e = event_new(base, fd, EV_READ | EV_PERSIST, call, l);

	if (e)
		event_priority_set(e, event_base_get_npriorities(base) - 1);
	return e;
}

// On a socket that is connected, and is the link's or closed from now on.
static void talk(struct link *l, int fd)
{
	struct drb_memif_answer answer;

	l->hears = new_event(l, fd, hear);
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
	l->state = TALKS;
	drb_memif_channel_begin(&l->channel, l->opens, l->port->workers,
				drb_memif_log2_ring(l->port), &answer);
	answer_or_hang_up(l, &answer);
}

// A client is at the door. It takes the place of one with which nothing is agreed on yet.
static void open_door(evutil_socket_t door, short what, void *arg)
{
	struct link *l = arg;
	struct drb_memif_answer answer;

	if (l->fd >= 0)
		hear(l->fd, what, l); // the one before may have gone
	if (l->state == LEAVES)
		return;
	int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) { // too many files are open: the door would call again at once
		event_del(l->opens);
		look_again(l);
	} else if (l->state == UP) {
		drb_memif_channel_refuse("it has another client", &answer);
		say(fd, &answer);
		close(fd);
	} else {
		if (l->state == TALKS)
			hang_up(l);
		talk(l, fd);
	}
}

static void find_server(struct link *l)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && l->all->host->connect(l->port->index, fd) == 0) {
		talk(l, fd);
		return;
	}
	if (fd >= 0)
		close(fd);
	look_again(l);
}

static void try_again(evutil_socket_t none, short what, void *arg)
{
	struct link *l = arg;

	(void)none, (void)what;
	if (l->state == LEAVES)
		let_go(l);
	else if (l->opens)
		event_add(l->opens, NULL);
	else if (l->state == ALONE)
		find_server(l);
}

// False: out of memory.
static bool begin(struct link *l, struct drb_memif_links *all, struct drb_port *port)
{
	const int door = drb_memif_port_of(port)->door;

	*l = (struct link){.all = all, .port = port, .fd = -1};
	l->again = evtimer_new(all->host->base, try_again, l);
	if (door >= 0)
		l->opens = new_event(l, door, open_door);
	if (!l->again || (door >= 0 && !l->opens))
		return false;
	try_again(-1, 0, l);
	return true;
}

static bool is_memif(const struct drb_port *port)
{
	return port->kind == &drb_memif_port;
}

struct drb_memif_links *drb_memif_links_begin(const struct drb_memif_host *host)
{
	struct drb_memif_links *all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < host->ports->count; i++)
		count += is_memif(&host->ports->port[i]);
	all = calloc(1, sizeof(*all) + count * sizeof(all->link[0]));
	bool begun = all;
	if (all)
		all->host = host;
	for (uint32_t i = 0; begun && i < host->ports->count; i++) {
		if (is_memif(&host->ports->port[i]))
			begun = begin(&all->link[all->count++], all, &host->ports->port[i]);
	}
	if (begun)
		return all;
	drb_error("out of memory for memif links");
	drb_memif_links_end(all);
	return NULL;
}

void drb_memif_links_end(struct drb_memif_links *all)
{
	for (uint32_t i = 0; all && i < all->count; i++) {
		struct link *l = &all->link[i];
		if (l->fd >= 0)
			hang_up(l);
		if (l->again)
			event_free(l->again);
		if (l->opens)
			event_free(l->opens);
	}
	free(all);
}

uint32_t drb_memif_links_missing(const struct drb_memif_links *all)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < all->count; i++)
		missing += all->link[i].state != UP;
	return missing;
}

static void say_missing(const struct link *l)
{
	const struct drb_port_setup *p = l->port->setup;
	char peer[DRB_NAME_MAX];

	drb_node_name(peer, p->peer.layer, p->peer.label);
	drb_warn("port %s: %s has not come to %s, not used until it does", p->name, peer,
		 p->socket);
}

void drb_memif_links_settle(struct drb_memif_links *all)
{
	all->settled = true;
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->link[i].state != UP)
			say_missing(&all->link[i]);
	}
}
