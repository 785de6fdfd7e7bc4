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

// Threads are running and caches warm when the first packet is due.
#define LEAD_NS UINT64_C(100000000)
// How often main looks at the sender and the sink.
#define POLL_NS UINT64_C(10000000)
// When all are there, a duplicate may still be on its way.
#define GRACE_NS UINT64_C(50000000)

static void await_sender(struct sender *s, struct link_watch *watch)
{
	uint64_t count = schedule_count(&s->schedule, s->trace);
	// Of what is sent by the clock, the time tells how much is left; packets may come after a long pause.
	uint64_t last_ns = count ? schedule_time(&s->schedule, s->trace, count - 1) : 0;
	bool timed = count != UINT64_MAX && last_ns > 0;
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
		link_watch_poll(watch);
		drb_clock_sleep_until(drb_clock_now() + POLL_NS);
	}
	drb_progress_end(&progress);
	sender_join(s);
}

// Until all that was sent has arrived, or nothing has for drain_ns.
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

// Before anything is sent: how long it will take.
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

// When the run begins, and by which clock packets say when they were sent.
static int set_times(const struct replay *r, struct sender *sender)
{
	struct timespec wall;
	uint64_t now = drb_clock_now();

	sender->start_ns = now + LEAD_NS;
	if (r->begin_ns) {
		clock_gettime(CLOCK_REALTIME, &wall);
		sender->shift_ns =
			now - ((uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec);
		sender->start_ns = r->begin_ns + sender->shift_ns;
		if (sender->start_ns < now + LEAD_NS) {
			drb_error(
				"--begin: this time is %.1f s ago: give machines more time to get "
				"ready",
				((double)now + LEAD_NS - (double)sender->start_ns) / 1e9);
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
		// Another machine may begin earlier by what its clock is ahead.
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

int replay_run(struct replay *r, struct replay_result *result)
{
	struct sender sender = {.trace = r->trace, .measured = r->measured, .late_ns = r->late_ns};
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
		drb_interrupt_catch((int)SA_RESETHAND); // a second signal ends it at once
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
	if (rc >= 0 && r->links)
		link_report_write(r->links, &watch, &links);
	if (rc >= 0 && r->places)
		*r->places = drop_places_of(&watch);
	link_watch_free(&watch);
	if (rc < 0)
		return rc;
	*result = (struct replay_result){
		.sent = sender.sent,
		.failed = sender.failed,
		.late = sender.late,
		.late_mean_ns = sender.sent ? (double)sender.late_sum_ns / (double)sender.sent : 0,
		.late_max_ns = (double)sender.late_max_ns,
		.sending_ns = sender.sent ? (double)sender.last_ns - (double)sender.start_ns : 0,
		.links = report,
		.interrupted = drb_interrupted(),
		.answers = answers};
	r->sink->ops->result(r->sink, &result->tally, &result->latency);
	if (sender.failed)
		drb_warn("%" PRIu64 " packets could not be sent, the last one by h%u: %s",
			 sender.failed, sender.error_host, strerror(sender.error));
	if (drb_interrupted())
		drb_warn("interrupted: figures cover the packets sent until then");
	return 0;
}
