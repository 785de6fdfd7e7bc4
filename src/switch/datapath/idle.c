// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/idle.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "switch/datapath/hello_sockets.h"

static void descriptor_watch(struct drb_worker *w, int fd)
{
	w->idle.watched[w->idle.watched_count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

// Data of events in the epoll set: HELLOS with the port of a hello socket, PACKETS with the index
// of a port's socket in w->idle.watched. Doorbells and the kick have their descriptor instead.
#define HELLOS (UINT64_C(1) << 63)
#define PACKETS (UINT64_C(1) << 62)

// After this time without a packet that ended a sleep, the ports' sockets enter the set and hello
// sockets leave it. Until then, hellos must be read as they come, because only then do they reveal
// packets that were lost on a link.
#define QUIET_NS 1000000000

static int watch_in_set(struct drb_worker *w, int fd, uint64_t data)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};

	return epoll_ctl(w->idle.epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void forget_hellos(struct drb_worker *w)
{
	for (uint32_t i = 0; w->owner == w && i < w->egress.ports; i++) {
		if (w->hello_io.port[i].fd >= 0)
			epoll_ctl(w->idle.epoll_fd, EPOLL_CTL_DEL, w->hello_io.port[i].fd, NULL);
	}
	w->idle.hellos_tell = false;
}

// Hellos are rare, so the kernel may search for a sleeper with each of them.
static int watch_hellos(struct drb_worker *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && w->owner == w && i < w->egress.ports; i++) {
		if (w->hello_io.port[i].fd >= 0)
			rc = watch_in_set(w, w->hello_io.port[i].fd, HELLOS | i);
	}
	if (rc < 0)
		forget_hellos(w);
	else
		w->idle.hellos_tell = true;
	return rc;
}

// True if this worker receives from port i and a doorbell wakes it for packets there.
static bool has_doorbell(const struct drb_worker *w, uint32_t i)
{
	const struct drb_port_queue *q = w->port[i].queue;

	return q && q->rx != DRB_QUEUE_NONE && q->fd < 0 && q->doorbell;
}

static int watch_port(struct drb_worker *w, uint32_t i)
{
	struct drb_port_queue *q = w->port[i].queue;

	if (!q || q->rx == DRB_QUEUE_NONE)
		return 0;
	if (q->fd >= 0)
		descriptor_watch(w, q->fd);
	else if (has_doorbell(w, i))
		w->idle.has_doorbells = true;
	else
		w->idle.no_wakeup |= w->port[i].active;
	return has_doorbell(w, i) ? q->kind->wake->watch(q, w->idle.epoll_fd) : 0;
}

int drb_idle_init(struct drb_worker *w)
{
	int rc = 0;

	if (w->idle.poll)
		return 0;
	w->idle.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	w->idle.kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->idle.epoll_fd < 0 || w->idle.kick_fd < 0)
		rc = -errno;
	if (rc == 0)
		rc = watch_in_set(w, w->idle.kick_fd, (uint32_t)w->idle.kick_fd);
	if (rc == 0)
		rc = watch_hellos(w);
	w->idle.watched_count = 0;
	descriptor_watch(w, w->idle.epoll_fd);
	for (uint32_t i = 0; rc == 0 && i < w->egress.ports; i++)
		rc = watch_port(w, i);
	if (rc < 0) {
		drb_error("cannot watch the ports' sockets: %s", strerror(-rc));
		drb_idle_free(w);
	}
	return rc;
}

void drb_idle_free(struct drb_worker *w)
{
	for (uint32_t i = 0; w->idle.epoll_fd >= 0 && i < w->egress.ports; i++) {
		if (has_doorbell(w, i))
			w->port[i].queue->kind->wake->watch(w->port[i].queue, -1);
	}
	if (w->idle.epoll_fd >= 0)
		close(w->idle.epoll_fd);
	if (w->idle.kick_fd >= 0)
		close(w->idle.kick_fd);
	w->idle.epoll_fd = w->idle.kick_fd = -1;
}

bool drb_idle_arm(const struct drb_worker *w)
{
	bool silent = true;

	for (uint32_t i = 0; i < w->egress.ports; i++) {
		if (has_doorbell(w, i))
			w->port[i].queue->kind->wake->arm(w->port[i].queue);
	}
	// Either the sender sees the request, or this worker sees the packets sent.
	atomic_thread_fence(memory_order_seq_cst);
	for (uint32_t i = 0; silent && i < w->egress.ports; i++) {
		if (has_doorbell(w, i))
			silent = w->port[i].queue->kind->wake->is_silent(w->port[i].queue);
	}
	if (!silent)
		drb_idle_disarm(w);
	return silent;
}

void drb_idle_disarm(const struct drb_worker *w)
{
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		if (has_doorbell(w, i))
			w->port[i].queue->kind->wake->disarm(w->port[i].queue);
	}
}

// Reading a pending error (interface down) clears it; otherwise it would wake the worker again and
// again.
static void clear_error(int fd)
{
	socklen_t len = sizeof(int);
	int error;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
}

static void take_hello_event(struct drb_worker *w, uint32_t i, uint32_t events)
{
	if (events & EPOLLERR)
		clear_error(w->hello_io.port[i].fd);
	drb_hello_sockets_look(w, i);
}

static void take_socket_event(struct drb_worker *w, uint64_t i, uint32_t events)
{
	if (events & EPOLLERR)
		clear_error(w->idle.watched[i].fd);
	w->idle.woken_ns = w->egress.now_ns;
}

// Takes events of the set: kicks, doorbells (edge-triggered) and sockets. Packets stay where they
// are, for the loop. Returns the number of events.
static int take_events(struct drb_worker *w, const struct timespec *timeout)
{
	struct epoll_event events[16];
	int n = epoll_pwait2(w->idle.epoll_fd, events, 16, timeout, NULL);
	uint64_t kicks;

	for (int i = 0; i < n; i++) {
		uint64_t said = events[i].data.u64;

		if (said & HELLOS)
			take_hello_event(w, (uint32_t)(said & ~HELLOS), events[i].events);
		else if (said & PACKETS)
			take_socket_event(w, said & ~PACKETS, events[i].events);
		else if (events[i].data.fd == w->idle.kick_fd &&
			 read(w->idle.kick_fd, &kicks, sizeof(kicks)) < 0)
			continue;
	}
	return n;
}

static void leave_set(struct drb_worker *w)
{
	for (uint32_t i = 1; i < w->idle.watched_count; i++)
		epoll_ctl(w->idle.epoll_fd, EPOLL_CTL_DEL, w->idle.watched[i].fd, NULL);
	w->idle.all_in_set = false;
	watch_hellos(w); // without memory in the kernel, they are read every 5 ms
}

// If the kernel has no memory for this, the sockets stay outside the set.
static void enter_set(struct drb_worker *w)
{
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < w->idle.watched_count; i++)
		rc = watch_in_set(w, w->idle.watched[i].fd, PACKETS | i);
	forget_hellos(w);
	if (rc == 0)
		w->idle.all_in_set = true;
	else
		leave_set(w);
}

void drb_idle_pause(struct drb_worker *w)
{
	if (w->idle.all_in_set)
		leave_set(w);
	w->idle.woken_ns = w->egress.now_ns;
}

static void poll_sockets(struct drb_worker *w, const struct timespec *timeout)
{
	const struct timespec now = {0};

	if (ppoll(w->idle.watched, w->idle.watched_count, timeout, NULL) <= 0)
		return;
	if (w->idle.watched[0].revents)
		take_events(w, &now);
	for (uint32_t i = 1; i < w->idle.watched_count; i++) {
		if (w->idle.watched[i].revents)
			take_socket_event(w, i, (uint32_t)w->idle.watched[i].revents);
	}
}

bool drb_idle_wait(struct drb_worker *w, const struct timespec *timeout)
{
	bool quiet = w->egress.now_ns - w->idle.woken_ns >= QUIET_NS;

	if (w->idle.all_in_set && !quiet)
		leave_set(w);
	else if (!w->idle.all_in_set && quiet && w->idle.watched_count > 1)
		enter_set(w);
	if (w->idle.all_in_set || w->idle.watched_count == 1)
		return take_events(w, timeout) != 0 || w->idle.no_wakeup;
	poll_sockets(w, timeout);
	return true;
}
