// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/connect.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/memif/callbacks.h"
#include "switch/ports/port.h"
#include "switch/control/stats_socket.h"
#include "switch/datapath/workers.h"

// Between looks at links that are up.
#define LOOK_NS 250000000
// A client that was turned away, or whose peer is slow to answer, tries again after so long, then
// after twice as long and so on.
#define AGAIN_NS 50000000
#define AGAIN_MAX_NS 1000000000

static struct {
	uint64_t due_ns, wait_ns; // of a client's next try
} again[DRB_PORTS_MAX];

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool runs, stopping; // guarded by lock
} seeker = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_link(uint16_t dpdk)
{
	struct rte_eth_link link;

	return rte_eth_link_get_nowait(dpdk, &link) == 0 && link.link_status;
}

int drb_memif_probe(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc = 0;

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

// What follows is up to the driver's callbacks; the link is up when they are through.
static void connect_client(const struct drb_memif_connect *s, uint32_t i)
{
	drb_memif_enter(s->ports->memif[i]);
	if (!has_link(s->ports->dpdk[i])) { // has come while this waited to enter
		drb_workers_park(s->workers);
		rte_eth_dev_stop(s->ports->dpdk[i]);
		rte_eth_dev_start(s->ports->dpdk[i]);
		drb_workers_unpark(s->workers);
	}
	drb_memif_leave();
}

static void try_client(const struct drb_memif_connect *s, uint32_t i)
{
	if (clock_now() < again[i].due_ns || drb_memif_probe(s->setup->ports[i].socket) < 0)
		return;
	connect_client(s, i);
	again[i].wait_ns = again[i].wait_ns ? again[i].wait_ns * 2 : AGAIN_NS;
	if (again[i].wait_ns > AGAIN_MAX_NS)
		again[i].wait_ns = AGAIN_MAX_NS;
	again[i].due_ns = clock_now() + again[i].wait_ns;
}

// A port that meets its peer for the first time begins to work.
static void meet(const struct drb_memif_connect *s, uint32_t i)
{
	drb_stats_socket_pause(); // no reload meanwhile
	drb_workers_park(s->workers);
	drb_workers_attach_port(s->workers, s->ports, s->setup, i);
	drb_workers_unpark(s->workers);
	drb_stats_socket_resume();
}

uint32_t drb_memif_connect(const struct drb_memif_connect *s)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < s->ports->count; i++) {
		if (!s->ports->memif[i])
			continue;
		if (!has_link(s->ports->dpdk[i])) {
			missing++;
			if (!s->setup->ports[i].up)
				try_client(s, i);
			continue;
		}
		again[i].due_ns = again[i].wait_ns = 0;
		if (!s->workers->worker[0].port[i].active)
			meet(s, i);
	}
	return missing;
}

void drb_memif_connect_log(const struct drb_memif_connect *s)
{
	for (uint32_t i = 0; i < s->ports->count; i++) {
		const struct drb_port_setup *p = &s->setup->ports[i];
		char peer[DRB_NAME_MAX];
		if (!s->ports->memif[i] || has_link(s->ports->dpdk[i]))
			continue;
		drb_node_name(peer, p->peer.layer, p->peer.label);
		drb_warn("port %s: %s has not come to %s, not used until it does", p->name, peer,
			 p->socket);
	}
}

static void *seek(void *arg)
{
	const struct drb_memif_connect *s = arg;

	pthread_mutex_lock(&seeker.lock);
	while (!seeker.stopping) {
		uint64_t then = clock_now() + LOOK_NS;
		struct timespec until = {.tv_sec = (time_t)(then / 1000000000u),
					 .tv_nsec = (long)(then % 1000000000u)};
		if (pthread_cond_timedwait(&seeker.wake, &seeker.lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&seeker.lock);
		drb_memif_connect(s);
		pthread_mutex_lock(&seeker.lock);
	}
	pthread_mutex_unlock(&seeker.lock);
	return NULL;
}

static bool has_memif(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->memif[i])
			return true;
	}
	return false;
}

int drb_memif_connect_start(const struct drb_memif_connect *s)
{
	pthread_condattr_t clock;

	if (!has_memif(s->ports))
		return 0;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&seeker.wake, &clock);
	pthread_condattr_destroy(&clock);
	int rc = pthread_create(&seeker.thread, NULL, seek, (void *)(uintptr_t)s);
	seeker.runs = rc == 0;
	if (rc != 0)
		drb_error("cannot start a thread to find memif peers by: %s", strerror(rc));
	return -rc;
}

void drb_memif_connect_stop(void)
{
	if (!seeker.runs)
		return;
	pthread_mutex_lock(&seeker.lock);
	seeker.stopping = true;
	pthread_cond_signal(&seeker.wake);
	pthread_mutex_unlock(&seeker.lock);
	pthread_join(seeker.thread, NULL);
	pthread_cond_destroy(&seeker.wake);
	seeker.runs = false;
}
