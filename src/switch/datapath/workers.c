// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_launch.h>

#include "switch/datapath/decide/flow_assign.h"
#include "common/cli/log.h"
#include "switch/datapath/changes.h"
#include "switch/datapath/hellos.h"
#include "switch/datapath/idle.h"
#include "switch/datapath/loop.h"
#include "switch/datapath/requests.h"
#include "switch/datapath/transmit.h"
#include "switch/datapath/worker_setup.h"

int drb_workers_init(struct drb_workers *all, const struct drb_setup *s)
{
	all->count = s->workers;
	atomic_store(&all->stuck, -1);
	all->changes = (struct drb_changes){0};
	TAILQ_INIT(&all->changes.queue);
	all->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->told_fd < 0)
		return -errno;
	for (uint32_t n = 0; n < all->count; n++) {
		struct drb_worker *w = &all->worker[n];
		if (drb_worker_init(w, s) < 0) {
			all->count = n;
			drb_workers_free(all);
			return -ENOMEM;
		}
		drb_worker_join(w, &all->worker[0], n);
		w->told_fd = all->told_fd;
		if (n > 0)
			w->decide.rng = drb_rng_seed(drb_mix64(s->seed) + n,
						     (uint64_t)s->layer << 32 | s->label);
		for (uint32_t i = 0; i < all->count; i++) {
			if (i != n)
				w->decide.shared_load.other[w->decide.shared_load.count++] =
					&all->worker[i].shared.load;
		}
	}
	return 0;
}

void drb_worker_attach_port(struct drb_worker *w, const struct drb_port *port,
			    const struct drb_setup *s)
{
	drb_worker_attach(w, port->index, drb_worker_share(s, s->ports[port->index].queue),
			  port->queue[w->number]);
	if (w->owner == w)
		drb_hellos_set(w, s);
}

// Gives a worker its queue of port i. Attaches the device, unless that has no peer yet.
static int attach_port(struct drb_worker *w, const struct drb_port *port, const struct drb_setup *s,
		       uint32_t i)
{
	if (!port->kind)
		return 0;
	w->port[i].queue = port->queue[w->number];
	if (w->port[i].queue->connected)
		drb_worker_attach(w, i, drb_worker_share(s, s->ports[i].queue), w->port[i].queue);
	int rc = drb_transmit_attach(w, i);
	if (rc < 0)
		drb_error("port %s: cannot watch its interface: %s", s->ports[i].name,
			  strerror(-rc));
	return rc;
}

int drb_workers_attach(struct drb_workers *all, const struct drb_port_set *ports,
		       const struct drb_setup *s)
{
	for (uint32_t n = 0; n < all->count; n++) {
		struct drb_worker *w = &all->worker[n];
		for (uint32_t i = 0; i < ports->count; i++) {
			int rc = attach_port(w, &ports->port[i], s, i);
			if (rc < 0)
				return rc;
		}
		drb_worker_configure(w, s); // now that its ports are known
		int rc = drb_assign_init(&w->decide, s);
		if (rc == -ENOMEM)
			drb_error("no memory for %u flows (routing.flow_max)", s->flow_max);
		else if (rc < 0)
			drb_error("no random numbers for routing.unit: %s", strerror(-rc));
		if (rc < 0)
			return rc;
	}
	return drb_hellos_init(&all->worker[0], s, ports->pool);
}

void drb_workers_free(struct drb_workers *all)
{
	drb_hellos_free(&all->worker[0]);
	for (uint32_t n = 0; n < all->count; n++)
		drb_worker_free(&all->worker[n]);
	close(all->told_fd);
}

static int worker_run(void *worker)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", ((struct drb_worker *)worker)->number);
	pthread_setname_np(pthread_self(), name);
	drb_worker_run(worker);
	return 0;
}

int drb_workers_start(struct drb_workers *all)
{
	all->launched = true;
	for (uint32_t n = 0; n < all->count; n++) {
		int rc = rte_eal_remote_launch(worker_run, &all->worker[n], n + 1);
		if (rc < 0) {
			drb_error("cannot start worker %u: %s", n, strerror(-rc));
			drb_workers_stop(all);
			drb_workers_join(all);
			return rc;
		}
	}
	return 0;
}

void drb_workers_join(struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++) {
		rte_eal_wait_lcore(n + 1);
		// Makes all writes of the worker visible here: the memory order of DPDK's wait is
		// internal to it.
		(void)atomic_load(&all->worker[n].shared.running);
	}
	all->launched = false;
	drb_changes_go_on(all);
}

void drb_workers_stop(struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++)
		drb_worker_stop(&all->worker[n]);
}

int drb_workers_stuck(const struct drb_workers *all)
{
	const int n = atomic_load(&all->stuck);

	return n >= 0 && atomic_load(&all->worker[n].shared.running) ? n
								     : -1; // not once it has ended
}

int drb_workers_idle_init(struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++) {
		int rc = drb_idle_init(&all->worker[n]);
		if (rc < 0) {
			drb_workers_idle_free(all);
			return rc;
		}
	}
	return 0;
}

void drb_workers_idle_free(struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++)
		drb_idle_free(&all->worker[n]);
}

static void snapshot_add(struct drb_snapshot *sum, const struct drb_snapshot *s)
{
	if (s->time_ns > sum->time_ns)
		sum->time_ns = s->time_ns;
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++) {
#define X(key, meaning) sum->port[i].key += s->port[i].key;
		DRB_PORT_COUNTERS(X)
#undef X
	}
#define X(key, meaning) sum->routing.key += s->routing.key;
	DRB_ROUTING_COUNTERS(X)
#undef X
#define X(key, meaning) sum->worker.key += s->worker.key;
	DRB_WORKER_COUNTERS(X)
#undef X
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		sum->drop[i] += s->drop[i];
	for (uint32_t f = 0; f < DRB_HOST_FAULT_COUNT; f++)
		sum->host_faults[f] |= s->host_faults[f];
	for (uint32_t i = 0; i < DRB_DIFFERENCES; i++)
		sum->difference[i] += s->difference[i];
	for (uint32_t i = 0; i < DRB_LOG_BINS; i++) {
		sum->burst_size[i] += s->burst_size[i];
		sum->queue_length[i] += s->queue_length[i];
	}
	sum->flows += s->flows;
	sum->threshold += s->threshold;
	sum->utilisation += s->utilisation;
}

void drb_workers_ask_snapshot(struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++)
		drb_worker_ask_snapshot(&all->worker[n]);
}

bool drb_workers_have_snapshots(const struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++) {
		if (!drb_worker_has_snapshot(&all->worker[n]))
			return false;
	}
	return true;
}

void drb_workers_sum_snapshots(const struct drb_workers *all, struct drb_snapshot *out)
{
	*out = all->worker[0].shared.snapshot;
	for (uint32_t n = 1; n < all->count; n++)
		snapshot_add(out, &all->worker[n].shared.snapshot);
	// Each worker has its own values; readers get their mean.
	out->threshold /= all->count;
	out->utilisation /= all->count;
}
