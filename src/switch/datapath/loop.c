// SPDX-License-Identifier: BSD-3-Clause
// The forwarding thread, run to completion: sends what is due, receives a burst from each port,
// forwards and sends it, then does everything that is not about packets.
#include "switch/datapath/loop.h"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "common/cli/clock.h"
#include "switch/datapath/bulk_policy.h"
#include "switch/datapath/hello_sockets.h"
#include "switch/datapath/hellos.h"
#include "switch/datapath/idle.h"
#include "switch/datapath/receive.h"
#include "switch/datapath/requests.h"
#include "switch/datapath/take_snapshot.h"
#include "switch/datapath/transmit.h"

#define BACKOFF_MAX_NS 1000000

// Waits for packets, a departure at next_ns, or a kick. False: nothing has come by any port.
static bool sleep_until(struct drb_worker *w, uint64_t next_ns)
{
	uint64_t begin = drb_clock_now(), wait;
	struct timespec timeout;

	wait = next_ns > begin ? next_ns - begin : 0;
	if (w->idle.no_wakeup && wait > w->idle.backoff_ns) {
		wait = w->idle.backoff_ns;
		w->idle.backoff_ns = w->idle.backoff_ns < BACKOFF_MAX_NS / 2
					     ? w->idle.backoff_ns * 2
					     : BACKOFF_MAX_NS;
	}
	if (w->idle.has_doorbells && !drb_idle_arm(w))
		return true;
	timeout.tv_sec = (time_t)(wait / 1000000000u);
	timeout.tv_nsec = (long)(wait % 1000000000u);
	const bool came = drb_idle_wait(w, wait > INT64_MAX / 2 ? NULL : &timeout);
	if (w->idle.has_doorbells)
		drb_idle_disarm(w);
	uint64_t end = drb_clock_now();
	w->counters.sleeps++;
	w->counters.sleep_ns += end - begin;
	if (w->idle.hellos_tell)
		drb_hello_sockets_told(w, end);
	return came;
}

static void age_flows(struct drb_worker *w, uint64_t *next_ns)
{
	drb_flow_table_age(&w->decide.flows, w->egress.now_ns);
	if (drb_flow_table_next_ns(&w->decide.flows) < *next_ns)
		*next_ns = drb_flow_table_next_ns(&w->decide.flows);
}

// Call after packets were received, because hellos may be among them.
static inline void keep_links_alive(struct drb_worker *w, uint64_t *next_ns)
{
	if (unlikely(w->egress.now_ns >= w->liveness.due_ns ||
		     w->egress.now_ns >= w->hello_io.look_ns || w->hello_io.readable ||
		     drb_hellos_waiting(w)))
		drb_hellos_service(w);
	if (w->liveness.due_ns < *next_ns)
		*next_ns = w->liveness.due_ns;
}

// Counts an iteration that began at cycle tsc. Returns the cycle at which it ends and the next
// begins.
static inline uint64_t count_iteration(struct drb_worker *w, uint64_t tsc, bool worked)
{
	uint64_t now = rte_rdtsc();

	w->counters.iterations++;
	w->counters.idle_iterations += !worked;
	w->counters.work_cycles += worked ? now - tsc : 0;
	return now;
}

// Sends before receiving: at a decision, a queue must not hold packets that have departed. Without
// a rate this offers again what drivers refused.
static inline void begin_iteration(struct drb_worker *w, uint64_t *next_ns)
{
	if (unlikely(atomic_load_explicit(&w->shared.changes_posted, memory_order_acquire) !=
		     atomic_load_explicit(&w->shared.changes_made, memory_order_relaxed)))
		drb_worker_make_change(w);
	if (w->egress.paced || !w->idle.poll || w->timed || w->liveness.due_ns != UINT64_MAX ||
	    w->egress.review_ns != UINT64_MAX)
		w->egress.now_ns = drb_clock_now();
	if (unlikely(w->egress.now_ns >= w->egress.review_ns))
		drb_transmit_review(w);
	if (w->egress.now_ns >= w->decide.threshold.due_ns)
		drb_threshold_update(w);
	drb_hellos_read_links(w);
	drb_transmit(w, next_ns);
}

static inline void end_iteration(struct drb_worker *w, uint64_t *next_ns)
{
	if (w->decide.flows.live > 0)
		age_flows(w, next_ns);
	keep_links_alive(w, next_ns);
	if (w->owner != w)
		drb_hellos_publish_frames(w);
	if (atomic_load_explicit(&w->shared.snapshot_wanted, memory_order_acquire) !=
	    atomic_load_explicit(&w->shared.snapshot_done, memory_order_relaxed))
		drb_worker_take_snapshot(w);
	if (atomic_load_explicit(&w->shared.beat_wanted, memory_order_relaxed) !=
	    atomic_load_explicit(&w->shared.beat, memory_order_relaxed)) {
		drb_worker_answer(w);
		drb_hellos_read_silence(w);
	}
	if (w->decide.shared_load.count)
		drb_shared_load_publish(&w->shared.load, &w->decide, &w->egress);
	drb_transmit_flush(w);
}

// A port that had no buffers for received packets does not wake the worker for them again. All
// ports are therefore polled at this interval, and while packets leave.
#define RECEIVE_WITHIN_NS UINT64_C(1000000000)

void drb_worker_run(struct drb_worker *w)
{
	uint64_t tsc = rte_rdtsc();
	bool came = true;

	w->started_ns = drb_clock_now();
	// The default timer slack of 50 us would delay every departure by that time.
	if (!w->idle.poll)
		prctl(PR_SET_TIMERSLACK, 1);
	drb_bulk_policy_init(w);
	atomic_store(&w->shared.tid, gettid());
	atomic_store(&w->shared.running, true);
	while (!atomic_load_explicit(&w->shared.stop, memory_order_relaxed)) {
		uint64_t next_ns; // when a queue, a flow or a link needs service
		uint32_t received, queued = w->egress.queued;

		begin_iteration(w, &next_ns);
		received = 0;
		if (came || queued > 0 || w->egress.now_ns >= w->idle.receive_ns) {
			w->idle.receive_ns = w->egress.now_ns + RECEIVE_WITHIN_NS;
			received = drb_receive(w, &next_ns);
		}
		if (w->egress.paced && received)
			drb_transmit(w, &next_ns);
		end_iteration(w, &next_ns);
		tsc = count_iteration(w, tsc, received > 0 || queued > 0);
		came = true;
		if (received) {
			w->idle.backoff_ns = DRB_BACKOFF_MIN_NS;
		} else if (!w->idle.poll && next_ns > w->egress.now_ns) {
			drb_bulk_policy_update(w);
			came = sleep_until(w, next_ns);
			tsc = rte_rdtsc();
		}
	}
	atomic_store(&w->shared.running, false);
}
