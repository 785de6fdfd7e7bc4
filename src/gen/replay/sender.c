// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/sender.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "gen/frames/measured_frame.h"

// The longest uninterrupted sleep, so that a cancelled run ends soon.
#define NAP_NS UINT64_C(100000000)
// A full socket becomes free as the stack hands packets on. After RETRIES times this time, it
// counts as stuck.
#define RETRY_NS UINT64_C(50000)
#define RETRIES 2000
// If a thread slept this much too long, its process or its machine was stopped: no busy CPU keeps a
// thread waiting for this long. To send all overdue packets at once would only fill queues.
#define PAUSE_NS UINT64_C(200000000)

// Sleeps until ns; false if cancelled.
static bool wait_until(struct sender *s, uint64_t ns)
{
	for (;;) {
		if (atomic_load_explicit(&s->cancel, memory_order_relaxed))
			return false;
		uint64_t now = drb_clock_now();
		if (now >= ns)
			return true;
		drb_clock_sleep_until(ns - now > NAP_NS ? now + NAP_NS : ns);
	}
}

// Sends one packet, and waits while the socket is full. Returns 0 with the time just before
// sending, or an errno.
static int send_frame(struct sender *s, const struct trace_packet *p, uint64_t *tx_ns)
{
	for (int i = 0; i < RETRIES; i++) {
		*tx_ns = drb_clock_now();
		if (s->measured)
			frame_set_tx(p->frame, *tx_ns - s->shift_ns);
		if (send(s->socket[p->host], p->frame, p->size, MSG_DONTWAIT) >= 0)
			return 0;
		if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
			return errno;
		drb_clock_sleep_until(drb_clock_now() + RETRY_NS);
	}
	return ENOBUFS;
}

static void send_packet(struct sender *s, struct trace_packet *p, uint64_t due)
{
	uint64_t tx_ns;
	int rc = send_frame(s, p, &tx_ns);

	if (rc) {
		s->failed++;
		s->error = rc;
		s->error_host = p->host;
		return;
	}
	if (s->sent++ == 0)
		s->first_ns = tx_ns;
	s->last_ns = tx_ns;
	p->sent++;
	if (s->log)
		moments_add(s->log, (uint32_t)(p - s->trace->packet), tx_ns);
	if (s->schedule.mode == SCHEDULE_TOPSPEED)
		return;
	uint64_t late = tx_ns > due ? tx_ns - due : 0;
	s->late_sum_ns += late;
	s->late += late > s->late_ns;
	if (late > s->late_max_ns)
		s->late_max_ns = late;
}

// Moves the schedule by the time for which the process was stopped; true if it was.
static bool resume(struct sender *s, uint64_t due, uint64_t busy_ns)
{
	uint64_t now = drb_clock_now(), from = due > busy_ns ? due : busy_ns;

	if (s->fixed || s->schedule.mode == SCHEDULE_TOPSPEED || now < from + PAUSE_NS)
		return false;
	uint64_t pause = now - from;
	if (s->align_ns)
		pause += s->align_ns - pause % s->align_ns;
	atomic_fetch_add_explicit(&s->paused_ns, pause, memory_order_relaxed);
	return true;
}

static void *send_all(void *arg)
{
	struct sender *s = arg;
	uint64_t count = schedule_count(&s->schedule, s->trace);
	const struct sched_param priority = {.sched_priority = 1};

	prctl(PR_SET_TIMERSLACK, 1);
	// Real-time priority needs a privilege, and a thread that never sleeps must not have it.
	// Without real-time priority, packets are sent later, and the report says so.
	if (s->schedule.mode != SCHEDULE_TOPSPEED)
		(void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
	for (uint64_t k = 0; k < count;) {
		uint64_t due = s->start_ns +
			       atomic_load_explicit(&s->paused_ns, memory_order_relaxed) +
			       schedule_time(&s->schedule, s->trace, k);
		if (!wait_until(s, due))
			break;
		if (resume(s, due, s->last_ns))
			continue;
		send_packet(s, &s->trace->packet[k % s->trace->count], due);
		atomic_store_explicit(&s->taken, ++k, memory_order_relaxed);
	}
	atomic_store_explicit(&s->done, true, memory_order_release);
	return NULL;
}

int sender_start(struct sender *s)
{
	int rc = pthread_create(&s->thread, NULL, send_all, s);

	if (rc) {
		drb_error("cannot start the sending thread: %s", strerror(rc));
		return -rc;
	}
	s->running = true;
	return 0;
}

void sender_join(struct sender *s)
{
	if (!s->running)
		return;
	atomic_store_explicit(&s->cancel, true, memory_order_relaxed);
	pthread_join(s->thread, NULL);
	s->running = false;
}
