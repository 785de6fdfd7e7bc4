// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/heartbeat.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/log_writer.h"
#include "switch/control/switch.h"
#include "switch/startup/confine.h"
#include "switch/datapath/requests.h"
#include "switch/startup/broker.h"

#define PERIOD_NS UINT64_C(160000000)
// The period while all links are at rest and there is one worker. It may be long, because the only
// worker, if stuck, sends no hellos anyway.
#define REST_PERIOD_NS UINT64_C(960000000)
// Periods without an answer, after which a worker is interrupted, or counts as stuck.
#define KICK_AFTER 1
#define STUCK_AFTER 2
// A worker that used this much CPU time since its first missed period is not just waiting for a
// CPU.
#define RAN_NS 150000000
// Workers must end within this many periods after the request. Otherwise the process ends without
// them. The first period may be REST_PERIOD_NS.
#define END_WITHIN 15

// Reads the first line of a thread's file in /proc.
static bool read_task(int tid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	FILE *f = fopen(path, "re");
	bool got = f && fgets(text, (int)size, f);
	if (f)
		fclose(f);
	return got;
}

static uint64_t ran_ns(int tid)
{
	uint64_t ns = 0;
	char text[128];

	return read_task(tid, "schedstat", text, sizeof(text)) && sscanf(text, "%" SCNu64, &ns) == 1
		       ? ns
		       : 0;
}

// Returns the thread's state: R, S, D, T and so on; '?' if it is unknown.
static char state_of(int tid)
{
	char text[256];

	if (!read_task(tid, "stat", text, sizeof(text)))
		return '?';
	const char *end = strrchr(text, ')');
	return end && end[1] ? end[2] : '?';
}

// False if the worker only waits for a CPU, has answered meanwhile, or if its state is unknown.
static bool is_stuck(const struct drb_worker *w, const struct drb_pulse *p)
{
	const int tid = atomic_load(&w->shared.tid);
	const char state = state_of(tid);
	const uint64_t ran = ran_ns(tid);

	return !drb_worker_has_answered(w, p->asked) && state != '?' &&
	       (state != 'R' || (p->ran_ns > 0 && ran > p->ran_ns + RAN_NS));
}

// A worker reads the flag when it answers a request, so each is asked now.
static void silence(struct drb_workers *workers, bool silent)
{
	for (uint32_t n = 0; n < workers->count; n++) {
		struct drb_worker *w = &workers->worker[n];
		atomic_store(&w->shared.silent, silent);
		drb_worker_ask(w);
	}
}

static void begin_stuck(struct drb_switch *s, uint32_t n)
{
	struct drb_workers *workers = &s->workers;
	const int tid = atomic_load(&workers->worker[n].shared.tid);

	s->heartbeat.pulse[n].stuck = true;
	atomic_store(&workers->stuck, (int)n);
	silence(workers, true);
	drb_error("worker %u is stuck (thread %d, state %c): the switch sends no hellos, so that "
		  "neighbours use other paths; restart it",
		  n, tid, state_of(tid));
	drb_broker_notify("STATUS=worker %u is stuck", n);
}

static void end_stuck(struct drb_switch *s, uint32_t n)
{
	struct drb_workers *workers = &s->workers;
	struct drb_pulse *pulse = s->heartbeat.pulse;
	int another = -1;

	pulse[n].stuck = false;
	for (uint32_t k = 0; k < workers->count; k++)
		another = pulse[k].stuck ? (int)k : another;
	atomic_store(&workers->stuck, another);
	silence(workers, another >= 0);
	drb_warn("worker %u runs again%s", n, another < 0 ? ": the switch sends hellos again" : "");
}

static void beat_ask(struct drb_worker *w, struct drb_pulse *p)
{
	p->missed = 0;
	p->asked = atomic_fetch_add(&w->shared.beat_wanted, 1) + 1;
}

static void worker_look(struct drb_switch *s, uint32_t n)
{
	struct drb_worker *w = &s->workers.worker[n];
	struct drb_pulse *p = &s->heartbeat.pulse[n];

	if (!atomic_load(&w->shared.running))
		return;
	if (drb_worker_has_answered(w, p->asked)) {
		if (p->stuck)
			end_stuck(s, n);
		beat_ask(w, p);
		return;
	}
	if (++p->missed >= KICK_AFTER)
		drb_worker_kick(w); // a busy worker answers without this
	if (p->missed == 1)
		p->ran_ns = ran_ns(atomic_load(&w->shared.tid));
	if (!p->stuck && p->missed >= STUCK_AFTER && is_stuck(w, p))
		begin_stuck(s, n);
}

static void tell_watchdog(struct drb_switch *s, uint64_t now)
{
	struct drb_heartbeat *h = &s->heartbeat;

	if (h->watchdog_ns == 0 || !s->ready || drb_workers_stuck(&s->workers) >= 0 ||
	    now - h->alive_ns >= h->watchdog_ns || now - h->told_ns < h->watchdog_ns / 3)
		return;
	h->told_ns = now;
	drb_broker_notify("WATCHDOG=1");
}

// Ends the process if workers do not end. A stuck worker never does.
static void look_at_end(struct drb_switch *s)
{
	const struct drb_workers *workers = &s->workers;

	if (!atomic_load(&workers->worker[0].shared.stop) || ++s->heartbeat.stopping < END_WITHIN)
		return;
	// Name the first worker that still runs. If none does, the last one did not even start.
	uint32_t n = 0;
	while (n + 1 < workers->count && !atomic_load(&workers->worker[n].shared.running))
		n++;
	drb_error("worker %u does not end: the switch ends without it", n);
	drb_log_writer_stop();
	_exit(DRB_EXIT_FAILED); // exit() would run handlers while threads still run
}

static bool is_at_rest(const struct drb_switch *s)
{
	const struct drb_worker *w = &s->workers.worker[0];

	return s->workers.count == 1 && s->heartbeat.watchdog_ns == 0 &&
	       !s->heartbeat.pulse[0].stuck &&
	       atomic_load_explicit(&w->shared.rests, memory_order_relaxed) &&
	       !atomic_load(&w->shared.stop);
}

static void heartbeat_look(void *context)
{
	struct drb_switch *s = context;

	for (uint32_t n = 0; n < s->workers.count; n++)
		worker_look(s, n);
	tell_watchdog(s, drb_clock_now());
	drb_confine_say();
	look_at_end(s);
	s->heartbeat.thread.period_ns = is_at_rest(s) ? REST_PERIOD_NS : PERIOD_NS;
}

static void say_alive(int fd, short events, void *s)
{
	(void)fd, (void)events;
	((struct drb_switch *)s)->heartbeat.alive_ns = drb_clock_now();
}

static int begin_watchdog(struct drb_switch *s, uint64_t usec)
{
	struct drb_heartbeat *h = &s->heartbeat;

	h->watchdog_ns = usec * 1000;
	h->alive_ns = drb_clock_now();
	h->alive = drb_switch_every(s, usec / 4, say_alive);
	if (!h->alive)
		return -ENOMEM;
	event_priority_set(h->alive, 0);
	return 0;
}

int drb_heartbeat_open(struct drb_switch *s)
{
	struct drb_heartbeat *h = &s->heartbeat;
	uint64_t usec = 0;

	int rc = sd_watchdog_enabled(0, &usec) > 0 ? begin_watchdog(s, usec) : 0;

	h->thread = (struct drb_periodic){.what = "watches workers",
					  .look = heartbeat_look,
					  .context = s,
					  .period_ns = PERIOD_NS};
	if (rc == 0)
		rc = drb_periodic_begin(&h->thread);
	if (rc < 0)
		drb_heartbeat_close(s);
	return rc;
}

void drb_heartbeat_close(struct drb_switch *s)
{
	drb_periodic_end(&s->heartbeat.thread);
	if (s->heartbeat.alive)
		event_free(s->heartbeat.alive);
	s->heartbeat.alive = NULL;
}
