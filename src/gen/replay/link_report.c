// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/link_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "gen/replay/machine_loss.h"

// Links lose some time on any machine. A link is slowed if it runs at less than this share of its
// rate.
#define SLOWEST 0.99
#define LATENCY_SHARE 0.05

#define GROWTH(count, from, to, key) watch_grown((count)[from].key, (count)[to].key)
#define GROWN(count, from, to, key) drb_real_of(GROWTH(count, from, to, key))

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

// The share of the time in which the link could send waiting packets.
static double part_of(const struct watched_switch *s, const struct watched_port *p)
{
	double passed = passed_ns(s, WATCH_START, WATCH_DONE);

	return passed > 0 ? 1 - GROWN(p->count, WATCH_START, WATCH_DONE, lost_credit_ns) / passed
			  : 1;
}

// The time for which the switch was away: that of its link that lost most. Packets that arrived
// meanwhile are in the queues of all its links.
static double away_ns(const struct watched_switch *s)
{
	double most = 0;

	for (uint32_t i = 0; i < s->ports; i++) {
		double lost = GROWN(s->port[i].count, WATCH_HALF, WATCH_END, lost_credit_ns);
		most = lost > most || isnan(lost) ? lost : most;
	}
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
	// A link that sent less than its rate allowed was idle at times: its queue does not grow.
	if (sent + GROWN(p->count, WATCH_HALF, WATCH_END, lost_credit_ns) < passed - 3 * time)
		return DRB_GROWTH_NO;
	// Packets that a full queue dropped count as part of its rise.
	double rise = drb_difference(half->queue_packets, end->queue_packets) +
		      GROWN(p->count, WATCH_HALF, WATCH_END, out_discards) - away_ns(s) / time;
	if (isnan(rise) || isnan(sent)) // the switch does not report all figures
		return DRB_GROWTH_UNCLEAR;
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
	r->forwarded = drb_sum(r->forwarded, GROWTH(p->count, WATCH_BEGIN, WATCH_END, out_packets));
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
		r.late_slots = drb_sum(r.late_slots,
				       GROWTH(s->worker, WATCH_BEGIN, WATCH_END, late_slots));
		r.lost_credit_events =
			drb_sum(r.lost_credit_events,
				GROWTH(s->worker, WATCH_BEGIN, WATCH_END, lost_credit_events));
		kept += GROWN(s->routing, WATCH_BEGIN, WATCH_END, up_default);
		redirected += GROWN(s->routing, WATCH_BEGIN, WATCH_END, up_redirected);
	}
	const double machine_lost = machine_loss_of(w, setup->start_ns);
	r.machine_lost = isnan(machine_lost) ? DRB_UNKNOWN : (uint64_t)(machine_lost + 0.5);
	r.late_ns = r.forwarded ? r.late_ns / drb_real_of(r.forwarded) : 0;
	r.redirected = kept + redirected > 0 ? redirected / (kept + redirected) : NAN;
	if (w->slowed_ns)
		r.slowed_s = fmax(0, ((double)w->slowed_ns - (double)setup->start_ns) / 1e9);
	return r;
}

bool link_report_slowed(const struct link_report *r, double latency_ns)
{
	return r->slowest < SLOWEST || drb_real_of(r->machine_lost) > 0 ||
	       r->machine_late_ns > LATENCY_SHARE * latency_ns;
}

void link_report_say(const struct link_report *r, uint64_t lost, double latency_ns)
{
	char who[2 * DRB_NAME_MAX] = "", rates[96] = "this", since[48] = "", drops[80] = "";
	uint64_t machine = r->machine_lost < lost ? r->machine_lost : lost;

	if (r->silent)
		drb_warn("%" PRIu32
			 " switch%s did not answer in time: drbctl list says which crashed or are "
			 "stuck, and drbfabric logs why; the figures leave their links out",
			 r->silent, r->silent == 1 ? "" : "es");
	if (r->late_switches == 0 || !link_report_slowed(r, latency_ns))
		return;
	if (r->late_switches > 1)
		snprintf(who, sizeof(who), " and %" PRIu32 " more switch%s", r->late_switches - 1,
			 r->late_switches == 2 ? "" : "es");
	if (!isnan(r->slowed_s))
		snprintf(since, sizeof(since), " from %.1f s on", r->slowed_s);
	if (r->slowest < SLOWEST)
		snprintf(rates, sizeof(rates), "links ran at %.0f to 100 %% of their rate%s, which",
			 100 * r->slowest, since);
	if (lost)
		snprintf(drops, sizeof(drops),
			 "about %" PRIu64 " of the %" PRIu64 " lost packets and ", machine, lost);
	drb_warn("%s%s woke too late, as when CPUs are busy: %s made %sat least %.0f %% of the "
		 "latency: use links of a lower --rate, with longer slots, or a less busy machine",
		 r->worst, who, rates, drops,
		 latency_ns > 0 ? fmin(100, 100 * r->machine_late_ns / latency_ns) : 0);
}

// The part of a run in which links are measured: the measured slots, or all of a capture.
struct measured_span {
	enum watch_moment from, to;
	double ns;
};

static struct measured_span span_of(const struct watched_switch *s,
				    const struct link_report_setup *setup)
{
	if (setup->slot_ns)
		return (struct measured_span){WATCH_BEGIN, WATCH_END,
					      passed_ns(s, WATCH_BEGIN, WATCH_END)};
	// Links are idle before the first packet is sent, and after the last one has arrived.
	return (struct measured_span){WATCH_START, WATCH_DONE,
				      (double)s->time_ns[WATCH_END] - (double)setup->start_ns};
}

struct link_row {
	const struct watched_switch *at;
	const struct watched_port *port;
	uint64_t packets; // DRB_UNKNOWN: the switch does not report them
	double use;       // NaN: unknown
	size_t place;     // in the order of switches and ports
};

static struct link_row row_of(const struct watched_switch *s, const struct watched_port *p,
			      const struct link_report_setup *setup)
{
	const struct measured_span span = span_of(s, setup);
	const uint64_t packets = GROWTH(p->count, span.from, span.to, out_packets);
	double use = drb_real_of(packets) * link_packet_ns(p) / span.ns;

	// Packets that wait when sending ends are sent later, so that `use` may exceed 1.
	if (setup->slot_ns == 0 && use > 1)
		use = 1;
	return (struct link_row){s, p, packets, use, 0};
}

static int busiest_first(const void *a, const void *b)
{
	const struct link_row *x = a, *y = b;
	const double use[2] = {isnan(x->use) ? -1 : x->use, isnan(y->use) ? -1 : y->use};

	if (use[0] > use[1] || use[0] < use[1])
		return use[0] > use[1] ? -1 : 1;
	if (x->packets != y->packets)
		return x->packets > y->packets ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

// Returns a row for each link, the busiest first; NULL: out of memory. The caller frees it.
static struct link_row *rows_of(const struct link_watch *w, const struct link_report_setup *setup,
				size_t *count)
{
	size_t ports = 0;

	*count = 0;
	for (size_t i = 0; i < w->count; i++)
		ports += w->at[i].gone ? 0 : w->at[i].ports;
	struct link_row *row = malloc((ports + 1) * sizeof(*row));
	for (size_t i = 0; row && i < w->count; i++) {
		for (uint32_t k = 0; k < w->at[i].ports && !w->at[i].gone; k++) {
			row[*count] = row_of(&w->at[i], &w->at[i].port[k], setup);
			row[*count].place = *count;
			++*count;
		}
	}
	if (row)
		qsort(row, *count, sizeof(*row), busiest_first);
	return row;
}

static void put_link(struct drb_table *t, const struct link_row *row,
		     const struct link_report_setup *setup)
{
	const struct watched_switch *s = row->at;
	const struct watched_port *p = row->port;
	const struct measured_span span = span_of(s, setup);
	char name[DRB_NAME_MAX];

	snprintf(name, sizeof(name), "s%" PRIu32 "-%" PRIu32, s->layer, s->label);
	drb_table_count(t, "layer", "", s->layer);
	drb_table_text(t, "switch", NULL, name);
	drb_table_text(t, "port", NULL, p->name);
	drb_table_text(t, "peer", NULL, p->peer);
	drb_table_count(t, "packets", NULL, row->packets);
	drb_table_real(t, "use", NULL, 4, row->use);
	drb_table_real(t, "queue_mean", "queue mean", 3,
		       GROWN(p->count, span.from, span.to, queue_ns) / span.ns);
	drb_table_count(t, "queue_max", "queue max", p->count[span.to].queue_max_packets);
	drb_table_count(t, "dropped", NULL, GROWTH(p->count, span.from, span.to, out_discards));
	drb_table_real(t, "rate_part", "", 4, part_of(s, p));
	drb_table_text(t, "growing", "",
		       setup->slot_ns ? drb_growth_word(growth_of(s, p, setup)) : NULL);
	drb_table_row_end(t);
}

int link_report_write(FILE *out, const struct link_table *table, enum drb_format format)
{
	size_t count;
	struct link_row *row = rows_of(table->watch, table->setup, &count);

	if (!row)
		return -ENOMEM;
	struct drb_table *t = drb_table_new(out, format);
	for (size_t i = 0; i < count && i < table->most; i++)
		put_link(t, &row[i], table->setup);
	drb_table_end(t);
	free(row);
	return 0;
}
