// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/link_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/cli/table.h"
#include "gen/replay/machine_loss.h"

// Less than that is what any machine does.
#define SLOWEST 0.99
#define LATENCY_SHARE 0.05

#define GROWN(count, from, to, key) ((double)watch_grown((count)[from].key, (count)[to].key))

static double passed_ns(const struct watched_switch *s, enum watch_moment from,
			enum watch_moment to)
{
	return (double)(s->time_ns[to] - s->time_ns[from]);
}

double link_packet_ns(const struct watched_port *p)
{
	const struct drb_port_counters *c = &p->count[WATCH_DONE];
	struct drb_rate rate;

	if (drb_parse_rate(p->rate, &rate) < 0 || rate.value == 0 || c->out_packets == 0)
		return 0;
	return 1e9 / rate.value *
	       (rate.per_packet ? 1 : 8.0 * (double)c->out_octets / (double)c->out_packets);
}

// The part of the time in which it could send what waited.
static double part_of(const struct watched_switch *s, const struct watched_port *p)
{
	double passed = passed_ns(s, WATCH_START, WATCH_DONE);

	return passed > 0 ? 1 - GROWN(p->count, WATCH_START, WATCH_DONE, lost_credit_ns) / passed
			  : 1;
}

// The switch was away for as long as one of its links lost: what came meanwhile stands in the queues of all of them.
static double away_ns(const struct watched_switch *s)
{
	double most = 0;

	for (uint32_t i = 0; i < s->ports; i++)
		most = fmax(most, GROWN(s->port[i].count, WATCH_HALF, WATCH_END, lost_credit_ns));
	return most;
}

static enum drb_growth growth_of(const struct watched_switch *s, const struct watched_port *p,
				 const struct link_report_setup *setup)
{
	const struct drb_port_counters *half = &p->count[WATCH_HALF], *end = &p->count[WATCH_END];
	double time = link_packet_ns(p), passed = passed_ns(s, WATCH_HALF, WATCH_END);
	double sent = GROWN(p->count, WATCH_HALF, WATCH_END, out_packets) * time;

	if (setup->slot_ns == 0 || time == 0)
		return DRB_GROWTH_NO;
	// One that sent less than it could was empty in between.
	if (sent + GROWN(p->count, WATCH_HALF, WATCH_END, lost_credit_ns) < passed - 3 * time)
		return DRB_GROWTH_NO;
	// What a full queue dropped would have made it longer.
	double rise = (double)end->queue_packets - (double)half->queue_packets +
		      GROWN(p->count, WATCH_HALF, WATCH_END, out_discards) - away_ns(s) / time;
	return drb_growth_of_link(rise, passed / (double)setup->slot_ns * setup->lasting);
}

static void add_port(struct link_report *r, const struct watched_switch *s,
		     const struct watched_port *p, const struct link_report_setup *setup)
{
	enum drb_growth growth = growth_of(s, p, setup);
	double part = part_of(s, p);

	if (part < r->slowest) {
		r->slowest = part;
		memcpy(r->worst, s->instance, sizeof(r->worst));
	}
	r->forwarded +=
		watch_grown(p->count[WATCH_BEGIN].out_packets, p->count[WATCH_END].out_packets);
	r->growing = growth > r->growing ? growth : r->growing;
	r->growing_links += growth == DRB_GROWTH_YES;
}

bool link_was_late(const struct watched_switch *s)
{
	return GROWN(s->worker, WATCH_START, WATCH_DONE, lost_credit_events) > 0 ||
	       GROWN(s->worker, WATCH_START, WATCH_DONE, late_slots) > 0;
}

struct link_report link_report_of(const struct link_watch *w, const struct link_report_setup *setup)
{
	struct link_report r = {.slowest = 1, .slowed_s = NAN};
	double kept = 0, redirected = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct watched_switch *s = &w->at[i];
		r.silent += s->gone;
		if (s->gone)
			continue;
		if (link_was_late(s) && r.late_switches++ == 0)
			memcpy(r.worst, s->instance, sizeof(r.worst));
		for (uint32_t k = 0; k < s->ports; k++)
			add_port(&r, s, &s->port[k], setup);
		r.machine_late_ns += GROWN(s->worker, WATCH_START, WATCH_DONE, late_ns);
		r.late_ns += GROWN(s->worker, WATCH_BEGIN, WATCH_END, late_ns);
		r.late_slots += (uint64_t)GROWN(s->worker, WATCH_BEGIN, WATCH_END, late_slots);
		r.lost_credit_events +=
			(uint64_t)GROWN(s->worker, WATCH_BEGIN, WATCH_END, lost_credit_events);
		kept += GROWN(s->routing, WATCH_BEGIN, WATCH_END, up_default);
		redirected += GROWN(s->routing, WATCH_BEGIN, WATCH_END, up_redirected);
	}
	r.machine_lost = (uint64_t)(machine_loss_of(w, setup->start_ns) + 0.5);
	r.late_ns = r.forwarded ? r.late_ns / (double)r.forwarded : 0;
	r.redirected = kept + redirected > 0 ? redirected / (kept + redirected) : NAN;
	if (w->slowed_ns)
		r.slowed_s = fmax(0, ((double)w->slowed_ns - (double)setup->start_ns) / 1e9);
	return r;
}

bool link_report_slowed(const struct link_report *r, double latency_ns)
{
	return r->slowest < SLOWEST || r->machine_lost > 0 ||
	       r->machine_late_ns > LATENCY_SHARE * latency_ns;
}

void link_report_say(const struct link_report *r, uint64_t lost, double latency_ns)
{
	char who[2 * DRB_NAME_MAX] = "", since[48] = "", drops[80] = "";
	uint64_t machine = r->machine_lost < lost ? r->machine_lost : lost;

	if (r->silent)
		drb_warn("%" PRIu32 " switch%s did not answer in time: their links are left out",
			 r->silent, r->silent == 1 ? "" : "es");
	if (r->late_switches == 0 || !link_report_slowed(r, latency_ns))
		return;
	if (r->late_switches > 1)
		snprintf(who, sizeof(who), " and %" PRIu32 " more switch%s", r->late_switches - 1,
			 r->late_switches == 2 ? "" : "es");
	if (!isnan(r->slowed_s))
		snprintf(since, sizeof(since), " from %.1f s on", r->slowed_s);
	if (lost)
		snprintf(drops, sizeof(drops),
			 "about %" PRIu64 " of the %" PRIu64 " lost packets and ", machine, lost);
	drb_warn("%s%s woke too late, as when CPUs are busy: links ran at %.0f to 100 %% of their "
		 "rate%s, which made %sat least %.0f %% of the latency: use links of a lower "
		 "--rate, with "
		 "longer slots, or a less busy machine",
		 r->worst, who, 100 * r->slowest, since, drops,
		 latency_ns > 0 ? fmin(100, 100 * r->machine_late_ns / latency_ns) : 0);
}

void link_report_write(FILE *out, const struct link_watch *w, const struct link_report_setup *setup)
{
	struct drb_table *t = drb_table_new(out, DRB_FORMAT_CSV);

	for (size_t i = 0; i < w->count; i++) {
		const struct watched_switch *s = &w->at[i];
		double passed = passed_ns(s, WATCH_BEGIN, WATCH_END);
		for (uint32_t k = 0; k < s->ports && !s->gone; k++) {
			const struct watched_port *p = &s->port[k];
			char name[DRB_NAME_MAX];
			snprintf(name, sizeof(name), "s%" PRIu32 "-%" PRIu32, s->layer, s->label);
			drb_table_count(t, "layer", NULL, s->layer);
			drb_table_text(t, "switch", NULL, name);
			drb_table_text(t, "port", NULL, p->name);
			drb_table_text(t, "peer", NULL, p->peer);
			drb_table_real(t, "use", NULL, 4,
				       GROWN(p->count, WATCH_BEGIN, WATCH_END, out_packets) *
					       link_packet_ns(p) / passed);
			drb_table_real(t, "queue_mean", NULL, 3,
				       GROWN(p->count, WATCH_BEGIN, WATCH_END, queue_ns) / passed);
			drb_table_count(t, "queue_max", NULL,
					p->count[WATCH_END].queue_max_packets);
			drb_table_count(
				t, "dropped", NULL,
				(uint64_t)GROWN(p->count, WATCH_BEGIN, WATCH_END, out_discards));
			drb_table_real(t, "rate_part", NULL, 4, part_of(s, p));
			drb_table_text(t, "growing", NULL,
				       setup->slot_ns ? drb_growth_word(growth_of(s, p, setup))
						      : NULL);
			drb_table_row_end(t);
		}
	}
	drb_table_end(t);
}
