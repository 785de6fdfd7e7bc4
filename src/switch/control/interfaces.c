// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <linux/capability.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/interface.h"
#include "switch/startup/privilege.h"

// An interface is taken again before it is up, mostly: so long afterwards each change may be that.
#define SETTLES_NS UINT64_C(3000000000)
// While a port is without its interface, and where there is no netlink socket.
#define LOOK_EVERY_MS 500

static struct drb_workers *workers;
static struct drb_port_set *port_set;
static const struct drb_port_parking *parking;
static pthread_t thread;
static int changes_fd = -1, end_fd = -1;
static sem_t begun; // the thread has the capabilities that it keeps
// Of the thread.
static uint64_t settled_ns; // when the last interface that was taken again is as it will be
static bool lost[DRB_PORTS_MAX];
static int why[DRB_PORTS_MAX]; // said last: why a port has not taken its interface again

static bool needs_privilege(void)
{
	for (uint32_t i = 0; i < port_set->count; i++) {
		const struct drb_port *p = &port_set->port[i];
		if (p->kind && p->kind->interface && p->kind->interface->rebind && p->workers > 1)
			return true;
	}
	return false;
}

static void say_lost(const struct drb_port *p)
{
	drb_warn("port %s: interface \"%s\" is gone: what is sent there is dropped%s",
		 p->setup->name, p->setup->interface,
		 p->kind->interface->rebind ? " until there is one of that name" : "");
}

static void say_failed(const struct drb_port *p, int error)
{
	if (why[p->index] == error)
		return;
	why[p->index] = error;
	if (error == -ENOTSUP)
		drb_warn("port %s: interface \"%s\" was made again, which %s cannot take: restart "
			 "the switch",
			 p->setup->name, p->setup->interface, p->kind->name);
	else
		drb_warn("port %s: cannot take interface \"%s\" again: %s", p->setup->name,
			 p->setup->interface,
			 error == -ETIMEDOUT ? DRB_PARK_FAILED : strerror(-error));
}

// True while the port is without its interface.
static bool look_at(struct drb_port *p)
{
	const struct drb_interface_ops *interface = p->kind ? p->kind->interface : NULL;
	const uint32_t i = p->index;

	if (!interface || interface->is_bound(p)) {
		lost[i] = false;
		return false;
	}
	if (!lost[i]) {
		say_lost(p);
		drb_workers_look_at_carriers(workers);
	}
	lost[i] = true;
	if (if_nametoindex(p->setup->interface) == 0) {
		why[i] = 0;
		return true;
	}
	int rc = -ENOTSUP;
	if (interface->rebind && drb_workers_stuck(workers) >= 0) {
		rc = -ETIMEDOUT; // spares the sockets
	} else if (interface->rebind) {
		drb_privilege_raise(CAP_NET_RAW);
		rc = interface->rebind(p, parking);
		drb_privilege_lower();
	}
	if (rc == 0) {
		drb_info("port %s: interface \"%s\" is there again and used", p->setup->name,
			 p->setup->interface);
		why[i] = 0;
		settled_ns = drb_clock_now() + SETTLES_NS;
	} else if (rc != -ENODEV) // it was there a moment ago
		say_failed(p, rc);
	lost[i] = rc < 0;
	return lost[i];
}

static void *watch(void *arg)
{
	struct pollfd fds[] = {{.fd = changes_fd, .events = POLLIN},
			       {.fd = end_fd, .events = POLLIN}};
	bool missing = false;

	(void)arg;
	drb_privilege_keep(needs_privilege() ? CAP_NET_RAW : -1);
	sem_post(&begun);
	for (;;) {
		int n = poll(fds, 2, missing || changes_fd < 0 ? LOOK_EVERY_MS : -1);
		if (fds[1].revents)
			return NULL;
		if (n < 0 && errno != EINTR)
			return NULL;
		if (changes_fd >= 0)
			drb_interfaces_changed(changes_fd);
		missing = false;
		for (uint32_t i = 0; i < port_set->count; i++)
			missing |= look_at(&port_set->port[i]);
		if (drb_clock_now() < settled_ns)
			drb_workers_look_at_carriers(workers);
	}
}

int drb_interfaces_begin(struct drb_workers *all, struct drb_port_set *set,
			 const struct drb_port_parking *by)
{
	workers = all;
	port_set = set;
	parking = by;
	changes_fd = drb_interfaces_watch();
	end_fd = eventfd(0, EFD_CLOEXEC);
	sem_init(&begun, 0, 0);
	int rc = end_fd < 0 ? -errno : -pthread_create(&thread, NULL, watch, NULL);
	while (rc == 0 && sem_wait(&begun) < 0)
		; // interrupted
	if (rc == 0)
		return 0;
	drb_error("cannot start the thread that watches interfaces: %s", strerror(-rc));
	if (end_fd >= 0)
		close(end_fd);
	if (changes_fd >= 0)
		close(changes_fd);
	return rc;
}

void drb_interfaces_end(void)
{
	const uint64_t one = 1;

	if (write(end_fd, &one, sizeof(one)) < 0)
		drb_error("cannot end the thread that watches interfaces: %s", strerror(errno));
	else
		pthread_join(thread, NULL);
	close(end_fd);
	if (changes_fd >= 0)
		close(changes_fd);
}
