// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/report.h"

#include <stdio.h>

uint64_t report_lost(const struct report *r)
{
	uint64_t missing = r->awaited > r->tally.delivered ? r->awaited - r->tally.delivered : 0;

	return missing > r->tally.receiver_dropped ? missing - r->tally.receiver_dropped : 0;
}

double report_latency_ns(const struct report *r)
{
	return (r->latency.mean + (double)r->slot_ns) * (double)r->tally.delivered;
}

bool report_late(const struct report *r)
{
	return r->late > 0 || link_report_slowed(r->links, report_latency_ns(r));
}

bool report_clean(const struct report *r)
{
	return r->failed == 0 && report_lost(r) == 0 && r->tally.duplicated == 0 &&
	       r->tally.misdelivered == 0 && r->tally.receiver_dropped == 0 &&
	       r->tally.backwards == 0;
}

// X(key, value, kind): counts of packets.
#define COUNTS(X)                                                                                  \
	X(sent, r->sent, COUNT)                                                                    \
	X(received, r->tally.received, COUNT)                                                      \
	X(lost, report_lost(r), SHOWN_LOSS)                                                        \
	X(receiver_dropped, r->tally.receiver_dropped, LOSS)                                       \
	X(not_sent, r->failed, LOSS)                                                               \
	X(misdelivered, r->tally.misdelivered, LOSS)                                               \
	X(duplicated, r->tally.duplicated, LOSS)                                                   \
	X(reordered, r->tally.reordered, COUNT)

// X(key prefix, member of struct drb_latency, title). Printed latencies include one slot for the
// host's own link. Measured ones do not, because the replay sends a packet when it would have
// crossed that link.
#define LATENCIES(X)                                                                               \
	X(latency_mean, mean, "mean")                                                              \
	X(latency_p50, p50, "median")                                                              \
	X(latency_p99, p99, "99 %")                                                                \
	X(latency_p999, p999, "99.9 %")                                                            \
	X(latency_max, max, "maximum")                                                             \
	X(tail, tail, "cohort tail")

static double in_slots(const struct report *r, double ns)
{
	return ns / (double)r->slot_ns + 1;
}

static double in_us(const struct report *r, double ns)
{
	return (ns + (double)r->slot_ns) / 1e3;
}

// X(key, kind, value, title): the reordering of the packets in the latencies.
#define ORDERS(X)                                                                                  \
	X(reordered_share, REAL, drb_reordering_share(&r->tally.order), "reordered, share")        \
	X(reorder_extent, COUNT, r->tally.order.extent, "extent, packets")                         \
	X(reorder_buffer, COUNT, r->tally.order.buffer, "buffer, packets")

// X(key, kind, value, decimals): figures of switches, and losses and delays due to the machine.
#define LINKS(X)                                                                                   \
	X(slowest_link, REAL, l->slowest, 4)                                                       \
	X(slowed_s, REAL, l->slowed_s, 1)                                                          \
	X(machine_lost, COUNT, l->machine_lost, 0)                                                 \
	X(machine_late_us, REAL, machine_late_us(r), 1)                                            \
	X(late_slots, COUNT, l->late_slots, 0)                                                     \
	X(lost_credit_events, COUNT, l->lost_credit_events, 0)                                     \
	X(switch_late_us, REAL, l->late_ns / 1e3, 1)                                               \
	X(forwarded, COUNT, l->forwarded, 0)                                                       \
	X(redirected, REAL, l->redirected, 4)                                                      \
	X(growing, TEXT, drb_growth_word(l->growing), 0)                                           \
	X(growing_links, COUNT, l->growing_links, 0)

// The delay that the machine added to a packet, on average.
static double machine_late_us(const struct report *r)
{
	return r->tally.delivered ? r->links->machine_late_ns / 1e3 / (double)r->tally.delivered
				  : 0;
}

#define PUT_COUNT(key, value) drb_table_count(t, #key, NULL, value);
#define PUT_LOSS(key, value)                                                                       \
	drb_table_bad(t, (value) > 0);                                                             \
	drb_table_loss(t, #key, NULL, value);
// A loss that tables show if it is zero, too.
#define PUT_SHOWN_LOSS(key, value)                                                                 \
	drb_table_bad(t, (value) > 0);                                                             \
	drb_table_count(t, #key, NULL, value);
#define PUT(key, value, kind) PUT_##kind(key, value)

// Cells of counts, of reals with a number of decimals, and of texts.
#define PUT_AS_COUNT(key, title, value, decimals) drb_table_count(t, #key, title, value);
#define PUT_AS_REAL(key, title, value, decimals) drb_table_real(t, #key, title, decimals, value);
#define PUT_AS_TEXT(key, title, value, decimals) drb_table_text(t, #key, title, value);

static void print_row(const struct report *r, FILE *out, enum drb_format format)
{
	const struct link_report *l = r->links;
	struct drb_table *t = drb_table_new(out, format);

#define PUT_SLOTS(key, member, ...)                                                                \
	drb_table_real(t, #key "_slots", NULL, 2, in_slots(r, r->latency.member));
#define PUT_MICROS(key, member, ...)                                                               \
	drb_table_real(t, #key "_us", NULL, 1, in_us(r, r->latency.member));
#define PUT_ORDER(key, kind, value, title) PUT_AS_##kind(key, NULL, value, 4)
#define PUT_LINK(key, kind, value, decimals) PUT_AS_##kind(key, NULL, value, decimals)
	COUNTS(PUT)
	LATENCIES(PUT_SLOTS)
	LATENCIES(PUT_MICROS)
	drb_table_count(t, "latency_samples", NULL, r->latency.samples);
	ORDERS(PUT_ORDER)
	drb_table_real(t, "offered_load", NULL, 4, r->offered_load);
	drb_table_real(t, "achieved_load", NULL, 4, r->achieved_load);
	drb_table_real(t, "slot_us", NULL, 1, (double)r->slot_ns / 1e3);
	drb_table_real(t, "late_mean_us", NULL, 1, r->late_mean_ns / 1e3);
	drb_table_real(t, "late_max_us", NULL, 1, r->late_max_ns / 1e3);
	drb_table_flag(t, "late", NULL, report_late(r));
	drb_table_count(t, "late_packets", NULL, r->late);
	drb_table_count(t, "late_switches", NULL, l->late_switches);
	LINKS(PUT_LINK)
	drb_table_row_end(t);
	drb_table_end(t);
}

static void print_counts(const struct report *r, struct drb_table *t)
{
	COUNTS(PUT)
	drb_table_row_end(t);
}

static void print_latencies(const struct report *r, struct drb_table *t)
{
#define PUT_LINE(key, member, name)                                                                \
	drb_table_text(t, "latency", NULL, name);                                                  \
	drb_table_real(t, "slots", NULL, 2, in_slots(r, r->latency.member));                       \
	drb_table_real(t, "us", NULL, 1, in_us(r, r->latency.member));                             \
	drb_table_row_end(t);
	LATENCIES(PUT_LINE)
}

static void print_order(const struct report *r, struct drb_table *t)
{
#define PUT_TITLED(key, kind, value, title) PUT_AS_##kind(key, title, value, 4)
	ORDERS(PUT_TITLED)
	drb_table_row_end(t);
}

static void print_load(const struct report *r, struct drb_table *t)
{
	drb_table_real(t, "offered load", NULL, 3, r->offered_load);
	drb_table_real(t, "achieved load", NULL, 3, r->achieved_load);
	drb_table_real(t, "slot us", NULL, 1, (double)r->slot_ns / 1e3);
	drb_table_real(t, "generator late us, mean", NULL, 1, r->late_mean_ns / 1e3);
	drb_table_real(t, "max", NULL, 1, r->late_max_ns / 1e3);
	drb_table_row_end(t);
}

static void print_links(const struct report *r, struct drb_table *t)
{
	drb_table_count(t, "late switches", NULL, r->links->late_switches);
	drb_table_real(t, "slowest link %", NULL, 1, 100 * r->links->slowest);
	drb_table_count(t, "lost by the machine", NULL, r->links->machine_lost);
	drb_table_real(t, "late by it us", NULL, 1, machine_late_us(r));
	drb_table_text(t, "queues grow", NULL, drb_growth_word(r->links->growing));
	drb_table_row_end(t);
}

void report_measured(const struct report *r, FILE *out, enum drb_format format)
{
	static void (*const print[])(const struct report *r, struct drb_table *t) = {
		print_counts, print_latencies, print_order, print_load, print_links};

	if (format != DRB_FORMAT_TABLE) {
		print_row(r, out, format);
		return;
	}
	for (size_t i = 0; i < sizeof(print) / sizeof(print[0]); i++) {
		struct drb_table *t = drb_table_new(out, format);
		if (i)
			fputc('\n', out);
		print[i](r, t);
		drb_table_end(t);
	}
}
