// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"
#include "common/cli/progress.h"
#include "common/cli/quantity.h"
#include "gen/replay/hosts.h"
#include "gen/replay/sender.h"

#define LINKS_SHOWN 8 // busiest links in the report of a capture
// Threads are running and caches are warm when the first packet is due.
#define LEAD_NS UINT64_C(100000000)
// Time between two polls of the sender and the sink by the main thread.
#define POLL_NS UINT64_C(10000000)
// Time to wait for duplicates that are still in flight when all packets have arrived.
#define GRACE_NS UINT64_C(50000000)

static void await_sender(struct sender *s, struct link_watch *watch)
{
	uint64_t count = schedule_count(&s->schedule, s->trace);
	// In a timed schedule, progress is measured in time, because packets may come after a long
	// pause.
	uint64_t last_ns = count ? schedule_time(&s->schedule, s->trace, count - 1) : 0;
	bool timed = count != UINT64_MAX && last_ns > 0;
	uint64_t paused_ns = 0;
	struct drb_progress progress;

	drb_progress_begin(&progress, "packets sent",
			   count == UINT64_MAX ? 0
			   : timed             ? last_ns
					       : count);
	while (!atomic_load_explicit(&s->done, memory_order_acquire)) {
		if (drb_interrupted())
			atomic_store_explicit(&s->cancel, true, memory_order_relaxed);
		uint64_t now = drb_clock_now();
		drb_progress_update(&progress,
				    !timed ? atomic_load_explicit(&s->taken, memory_order_relaxed)
				    : now > s->start_ns ? now - s->start_ns
							: 0);
		uint64_t paused = atomic_load_explicit(&s->paused_ns, memory_order_relaxed);
		link_watch_delay(watch, paused - paused_ns);
		paused_ns = paused;
		link_watch_poll(watch);
		drb_clock_sleep_until(drb_clock_now() + POLL_NS);
	}
	drb_progress_end(&progress);
	sender_join(s);
}

// Waits until all packets sent have arrived, or none has for drain_ns.
static void await_arrivals(struct sink *sink, uint64_t sent, uint64_t drain_ns,
			   struct link_watch *watch)
{
	uint64_t last = sink->ops->delivered(sink), since = drb_clock_now();

	while (last < sent && drb_clock_now() - since < drain_ns) {
		drb_clock_sleep_until(drb_clock_now() + POLL_NS);
		link_watch_poll(watch);
		uint64_t now = sink->ops->delivered(sink);
		if (now != last)
			since = drb_clock_now();
		last = now;
	}
	drb_clock_sleep_until(drb_clock_now() + GRACE_NS);
}

// Before anything is sent, reports how long sending will take.
static void announce(const struct replay *r)
{
	uint64_t count = schedule_count(&r->schedule, r->trace);
	char text[DRB_DURATION_MAX];

	if (count == 0)
		return;
	double last_ns = (double)schedule_time(&r->schedule, r->trace, count - 1);
	if (count == UINT64_MAX)
		drb_info("sends %zu packets again and again, until it is interrupted",
			 r->trace->count);
	else if (r->schedule.mode == SCHEDULE_TOPSPEED)
		drb_info("sends %" PRIu64 " packets as fast as possible", count);
	else
		drb_info("sends %" PRIu64 " packets in %s", count,
			 drb_format_duration(last_ns, text));
}

// Sets the time when the run begins, and the clock of packets' transmit times.
static int set_times(const struct replay *r, struct sender *sender)
{
	struct timespec wall;
	uint64_t now = drb_clock_now();

	sender->start_ns = now + LEAD_NS;
	if (r->begin_ns) {
		clock_gettime(CLOCK_REALTIME, &wall);
		const uint64_t first_ns =
			(uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec + LEAD_NS;
		sender->shift_ns = now + LEAD_NS - first_ns;
		sender->start_ns = r->begin_ns + sender->shift_ns;
		if (r->begin_ns < first_ns) {
			drb_error(
				"--begin: this time is %.1f s ago: give machines more time to get "
				"ready",
				(double)(first_ns - r->begin_ns) / 1e9);
			return -ETIME;
		}
	} else if (r->align_ns) {
		sender->start_ns += r->align_ns - sender->start_ns % r->align_ns;
	}
	return 0;
}

static int send_and_receive(struct replay *r, struct sender *sender, struct link_watch *watch)
{
	struct watch_slots slots = r->measured_slots;

	if (set_times(r, sender) < 0)
		return -ETIME;
	if (r->begin) {
		// Another machine may begin earlier if its clock is ahead.
		uint64_t first_ns = sender->start_ns - sender->shift_ns;
		int rc = r->begin(r->context, first_ns - (r->begin_ns ? LEAD_NS : 0),
				  sender->shift_ns);
		if (rc < 0)
			return rc;
	}
	int rc = r->sink->ops->start(r->sink);
	if (rc == 0)
		rc = sender_start(sender);
	if (rc < 0)
		return rc;
	slots.start_ns = sender->start_ns;
	if (slots.slot_ns)
		link_watch_plan(watch, &slots);
	await_sender(sender, watch);
	link_watch_sent(watch);
	await_arrivals(r->sink, r->awaited ? r->awaited : sender->sent, r->drain_ns, watch);
	return r->sink->ops->stop(r->sink);
}

static struct replay_result result_of(const struct sender *s)
{
	return (struct replay_result){
		.sent = s->sent,
		.failed = s->failed,
		.late = s->late,
		.late_mean_ns = s->sent ? (double)s->late_sum_ns / (double)s->sent : 0,
		.late_max_ns = (double)s->late_max_ns,
		.sending_ns = s->sent ? (double)s->last_ns - (double)s->start_ns : 0,
		.interrupted = drb_interrupted()};
}

static void say_sender(const struct sender *s)
{
	if (s->paused_ns)
		drb_warn("the generator stood still for %.1f s, stopped or with its machine: the "
			 "packets behind are sent as much later, and figures span the pause",
			 (double)s->paused_ns / 1e9);
	if (s->failed)
		drb_warn("%" PRIu64 " packets could not be sent, the last one by h%u: %s",
			 s->failed, s->error_host, strerror(s->error));
	if (drb_interrupted())
		drb_warn("interrupted: figures cover the packets sent until then");
}

static void write_links(const struct replay *r, const struct link_watch *watch,
			const struct link_report_setup *setup)
{
	const struct link_table all = {watch, setup, SIZE_MAX};
	const struct link_table busiest = {watch, setup, LINKS_SHOWN};

	if (r->links && link_report_write(r->links, &all, DRB_FORMAT_CSV) < 0)
		drb_die("out of memory");
	if (r->busiest && link_report_write(r->busiest, &busiest, DRB_FORMAT_TABLE) < 0)
		drb_die("out of memory");
}

int replay_run(struct replay *r, struct replay_result *result)
{
	struct sender sender = {.trace = r->trace,
				.measured = r->measured,
				.late_ns = r->late_ns,
				.fixed = r->begin_ns != 0,
				.align_ns = r->align_ns};
	struct link_watch watch = {0};
	struct hosts hosts;
	const struct hosts_setup setup = {.fabric = r->fabric,
					  .plan = r->plan,
					  .first = r->first_host,
					  .end = r->end_host ? r->end_host : r->plan->hosts,
					  .guard = r->measured,
					  .silence = r->silence,
					  .sink = r->sink};
	int rc = hosts_open(&hosts, &setup);

	if (rc < 0)
		return rc;
	if (r->check)
		rc = r->check(r->trace, hosts.mtu, r->context);
	if (rc == 0) {
		announce(r);
		sender.schedule = r->schedule;
		drb_interrupt_catch((int)SA_RESETHAND); // a second signal ends the process at once
		sender.socket = hosts.send;
		sender.log = r->sendings ? r->sendings(r->context) : NULL;
		link_watch_begin(&watch, r->fabric);
		rc = send_and_receive(r, &sender, &watch);
		link_watch_end(&watch);
	}
	bool answers = !r->silence || hosts.answers;
	hosts_close(&hosts);
	const struct link_report_setup links = {sender.start_ns, r->measured_slots.slot_ns,
						r->lasting};
	struct link_report report = link_report_of(&watch, &links);
	if (rc >= 0)
		write_links(r, &watch, &links);
	if (rc >= 0 && r->places)
		*r->places = drop_places_of(&watch);
	link_watch_free(&watch);
	if (rc < 0)
		return rc;
	*result = result_of(&sender);
	result->links = report;
	result->answers = answers;
	r->sink->ops->result(r->sink, &result->tally, &result->latency);
	say_sender(&sender);
	return 0;
}
