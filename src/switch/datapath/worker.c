// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "switch/datapath/routing/flow_assign.h"
#include "common/cli/clock.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/idle.h"
#include "switch/datapath/transmit.h"

// Sleeps while some port has no descriptor to wait on: short after traffic, longer the longer
// nothing comes.
#define DOZE_MIN_NS 10000
#define DOZE_MAX_NS 1000000

// How often a parked worker and who parks it look at each other.
#define PARK_LOOK_NS 20000

int drb_worker_init(struct drb_worker *w, const struct drb_setup *s)
{
	memset(w, 0, sizeof(*w));
	w->hop = s->hop;
	w->choice = s->choice;
	w->addr = s->addr;
	w->down_ports = s->down_ports;
	w->up_ports = s->up_ports;
	w->ports = s->down_ports + s->up_ports;
	w->packet_choice = s->choice;
	w->node = (struct drb_detour_node){.hop = s->hop,
					   .layer = s->layer,
					   .down_ports = s->down_ports,
					   .up_ports = s->up_ports};
	drb_threshold_init(w, s);
	w->burst = s->burst;
	w->tx_burst = s->burst;
	w->poll = s->idle == DRB_IDLE_POLL;
	w->rng = drb_rng_seed(s->seed, (uint64_t)s->layer << 32 | s->label);
	w->epoll_fd = w->kick_fd = w->changes_fd = -1;
	w->review_ns = UINT64_MAX;
	w->owner = w;
	w->liveness.due_ns = UINT64_MAX;
	if (drb_class_tables_init(&w->class_tables, &w->hop) < 0 ||
	    drb_scheme_state_init(&w->scheme_state, s) < 0) {
		drb_worker_free(w);
		return -ENOMEM;
	}
	w->timed |= w->scheme_state.timed;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t queue = drb_worker_share(s, p->queue);
		struct drb_rate rate = drb_worker_rate(s, &p->rate);
		w->port[i].host = p->peer.layer == 0 ? p->peer.label : DRB_NO_LABEL;
		if (drb_egress_init(&w->egress[i], queue, &rate, p->slotted, p->overhead,
				    p->catchup_ns) < 0) {
			drb_worker_free(w);
			return -ENOMEM;
		}
		w->egress[i].limit = 0; // until a device is attached
	}
	w->doze_ns = DOZE_MIN_NS;
	drb_worker_set_ports(w, s);
	return 0;
}

void drb_worker_set_ports(struct drb_worker *w, const struct drb_setup *s)
{
	w->paced = false;
	w->open = true;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_port_setup *p = &s->ports[i];
		uint32_t source = s->check_source ? w->port[i].host : DRB_NO_LABEL;
		w->port[i].classifier =
			drb_classifier_at(&w->class_tables, &w->addr, i < w->down_ports, source,
					  s->layer == 1 && i >= w->down_ports);
		w->paced |= p->rate.value > 0;
		w->open &=
			p->driver != DRB_DRIVER_NONE && drb_worker_share(s, p->queue) >= s->burst;
	}
}

void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue)
{
	w->port[index].queue = queue;
	w->port[index].active = true;
	w->links.usable |= UINT64_C(1) << index;
	w->egress[index].limit = limit;
}

void drb_worker_free(struct drb_worker *w)
{
	for (uint32_t i = 0; i < w->ports; i++) {
		drb_transmit_free(w, i);
		drb_egress_free(&w->egress[i]);
	}
	struct drb_assign_memory memory = {0};
	drb_assign_exchange(w, &memory);
	drb_assign_free(&memory);
	drb_class_tables_free(&w->class_tables);
	drb_scheme_state_free(&w->scheme_state);
	if (w->changes_fd >= 0)
		close(w->changes_fd);
	w->changes_fd = -1;
}

void drb_worker_kick(struct drb_worker *w)
{
	uint64_t one = 1;

	if (!w->poll && write(w->kick_fd, &one, sizeof(one)) < 0)
		return; // the counter is full: the worker is awake anyway
}

void drb_worker_stop(struct drb_worker *w)
{
	atomic_store_explicit(&w->stop, true, memory_order_relaxed);
	drb_worker_kick(w);
}

// Receives a burst from every port and forwards it. What a burst brought is sent before the next is
// received, if it is due by then, while it is in the cache: the next burst gets the same buffers.
static uint32_t receive_all(struct drb_worker *w, uint64_t *next_ns)
{
	struct rte_mbuf *packets[DRB_BURST_MAX];
	uint32_t total = 0;

	for (uint32_t i = 0; i < w->ports; i++) {
		struct drb_port_queue *q = w->port[i].queue;
		if (!w->port[i].active || q->rx == DRB_QUEUE_NONE || drb_port_is_without_peer(q))
			continue;
		if (w->paced && w->queued > 0) {
			w->now_ns = drb_clock_now();
			if (*next_ns <= w->now_ns)
				drb_transmit(w, next_ns);
		}
		uint32_t n = drb_port_receive(q, packets, w->burst);
		if (n == 0)
			continue;
		w->counters.rx_bursts++;
		total += n;
		if (w->paced) {
			// These packets arrived before now, even if we were off the CPU since the
			// turn began; what is due by now leaves before they are decided upon.
			w->now_ns = drb_clock_now();
			if (*next_ns <= w->now_ns)
				drb_transmit(w, next_ns);
		}
		if (w->shared_load.count)
			drb_shared_load_read(w);
		drb_forward_burst(w, i, packets, n);
		if (w->paced)
			*next_ns = 0; // what is queued has changed
		else
			drb_transmit(w, next_ns);
		if (w->shared_load.count)
			drb_shared_load_publish(w);
	}
	return total;
}

// Waits for packets, a departure at next_ns, or a kick.
static void sleep_until(struct drb_worker *w, uint64_t next_ns)
{
	uint64_t begin = drb_clock_now(), wait;
	struct timespec timeout;

	wait = next_ns > begin ? next_ns - begin : 0;
	if (w->doze && wait > w->doze_ns) {
		wait = w->doze_ns;
		w->doze_ns = w->doze_ns < DOZE_MAX_NS / 2 ? w->doze_ns * 2 : DOZE_MAX_NS;
	}
	if (w->bells && !drb_idle_ask(w))
		return;
	timeout.tv_sec = (time_t)(wait / 1000000000u);
	timeout.tv_nsec = (long)(wait % 1000000000u);
	drb_idle_wait(w, wait > INT64_MAX / 2 ? NULL : &timeout);
	if (w->bells)
		drb_idle_awake(w);
	w->counters.sleeps++;
	w->counters.sleep_ns += drb_clock_now() - begin;
}

static void age_flows(struct drb_worker *w, uint64_t *next_ns)
{
	drb_flow_table_age(&w->flows, w->now_ns);
	if (drb_flow_table_next_ns(&w->flows) < *next_ns)
		*next_ns = drb_flow_table_next_ns(&w->flows);
}

// After packets were received: a hello may be among them.
static inline void see_to_ports(struct drb_worker *w, uint64_t *next_ns)
{
	if (unlikely(w->now_ns >= w->liveness.due_ns || drb_hellos_waiting(w)))
		drb_hellos_turn(w);
	if (w->liveness.due_ns < *next_ns)
		*next_ns = w->liveness.due_ns;
}

// A turn that began at cycle tsc is over. Returns when, which is when the next begins.
static inline uint64_t count_turn(struct drb_worker *w, uint64_t tsc, bool worked)
{
	uint64_t now = rte_rdtsc();

	w->counters.iterations++;
	w->counters.idle_iterations += !worked;
	w->counters.work_cycles += worked ? now - tsc : 0;
	return now;
}

void drb_worker_park(struct drb_worker *w)
{
	const struct timespec pause = {.tv_nsec = PARK_LOOK_NS};

	// Either drb_worker_run() sees `park` before its first turn, or it is seen running here.
	atomic_store(&w->park, true);
	drb_worker_kick(w);
	while (atomic_load(&w->running) && !atomic_load(&w->parked))
		nanosleep(&pause, NULL);
}

void drb_worker_unpark(struct drb_worker *w)
{
	const struct timespec pause = {.tv_nsec = PARK_LOOK_NS};

	atomic_store(&w->park, false);
	// So that the next drb_worker_park() does not take this pause for its own.
	while (atomic_load(&w->parked))
		nanosleep(&pause, NULL);
}

static void rest(struct drb_worker *w)
{
	const struct timespec pause = {.tv_nsec = PARK_LOOK_NS};

	atomic_store(&w->parked, true);
	while (atomic_load(&w->park))
		nanosleep(&pause, NULL);
	atomic_store(&w->parked, false);
}

void drb_worker_run(struct drb_worker *w)
{
	uint64_t tsc = rte_rdtsc();

	w->started_ns = drb_clock_now();
	// The default slack of 50 us would delay every departure by as much.
	if (!w->poll)
		prctl(PR_SET_TIMERSLACK, 1);
	atomic_store(&w->running, true);
	atomic_thread_fence(memory_order_seq_cst); // see drb_worker_park()
	while (!atomic_load_explicit(&w->stop, memory_order_relaxed)) {
		uint64_t next_ns;
		uint32_t received, queued = w->queued;

		if (unlikely(atomic_load_explicit(&w->park, memory_order_relaxed)))
			rest(w);

		// Departures come first: a queue must not hold what has left by the time of a
		// decision. Without a rate this offers again what drivers refused.
		if (w->paced || !w->poll || w->timed || w->liveness.due_ns != UINT64_MAX ||
		    w->review_ns != UINT64_MAX)
			w->now_ns = drb_clock_now();
		if (unlikely(w->now_ns >= w->review_ns))
			drb_transmit_review(w);
		if (w->now_ns >= w->threshold.due_ns)
			drb_threshold_update(w);
		drb_hellos_read_links(w);
		drb_transmit(w, &next_ns);
		received = receive_all(w, &next_ns);
		if (w->paced && received)
			drb_transmit(w, &next_ns);
		if (w->flows.live > 0)
			age_flows(w, &next_ns);
		see_to_ports(w, &next_ns);
		if (atomic_load_explicit(&w->snapshot_wanted, memory_order_acquire) !=
		    atomic_load_explicit(&w->snapshot_done, memory_order_relaxed))
			drb_worker_take_snapshot(w);
		if (w->shared_load.count)
			drb_shared_load_publish(w);
		drb_transmit_flush(w);
		tsc = count_turn(w, tsc, received > 0 || queued > 0);
		if (received) {
			w->doze_ns = DOZE_MIN_NS;
		} else if (!w->poll && next_ns > w->now_ns) {
			sleep_until(w, next_ns);
			tsc = rte_rdtsc();
		}
	}
	atomic_store(&w->running, false);
}
