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
	       r->tally.misdelivered == 0 && r->tally.receiver_dropped == 0;
}

// X(key, value, kind): what is counted, in packets.
#define COUNTS(X)                                                                                  \
	X(sent, r->sent, COUNT)                                                                    \
	X(received, r->tally.received, COUNT)                                                      \
	X(lost, report_lost(r), COUNT)                                                             \
	X(receiver_dropped, r->tally.receiver_dropped, LOSS)                                       \
	X(not_sent, r->failed, LOSS)                                                               \
	X(misdelivered, r->tally.misdelivered, LOSS)                                               \
	X(duplicated, r->tally.duplicated, LOSS)                                                   \
	X(reordered, r->tally.reordered, COUNT)

// X(key prefix, member of struct drb_latency, title). The host's own link takes one slot, which no
// packet waits for here: a packet is sent when it has crossed that link.
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

// X(key, kind, value, title): how far the packets in the latencies arrived out of order.
#define ORDERS(X)                                                                                  \
	X(reordered_share, REAL, drb_reordering_share(&r->tally.order), "reordered, share")        \
	X(reorder_extent, COUNT, r->tally.order.extent, "extent, packets")                         \
	X(reorder_buffer, COUNT, r->tally.order.buffer, "buffer, packets")

// X(key, kind, value, decimals): what switches did, and what the machine kept them from.
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

// What the machine added to the latency of a packet, on average.
static double machine_late_us(const struct report *r)
{
	return r->tally.delivered ? r->links->machine_late_ns / 1e3 / (double)r->tally.delivered
				  : 0;
}

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static void print_row(const struct report *r, enum drb_format format)
{
#define COLUMN(key, value, kind) {#key, NULL, DRB_##kind, 0},
#define SLOTS(key, ...) {#key "_slots", NULL, DRB_REAL, 2},
#define MICROS(key, ...) {#key "_us", NULL, DRB_REAL, 1},
#define ORDER_COLUMN(key, kind, ...) {#key, NULL, DRB_##kind, 4},
#define LINK_COLUMN(key, kind, value, decimals) {#key, NULL, DRB_##kind, decimals},
	static const struct drb_column columns[] = {
		COUNTS(COLUMN) LATENCIES(SLOTS)
			LATENCIES(MICROS){"latency_samples", NULL, DRB_COUNT, 0},
		ORDERS(ORDER_COLUMN){"offered_load", NULL, DRB_REAL, 4},
		{"achieved_load", NULL, DRB_REAL, 4},
		{"slot_us", NULL, DRB_REAL, 1},
		{"late_mean_us", NULL, DRB_REAL, 1},
		{"late_max_us", NULL, DRB_REAL, 1},
		{"late", NULL, DRB_FLAG, 0},
		{"late_packets", NULL, DRB_COUNT, 0},
		{"late_switches", NULL, DRB_COUNT, 0},
		LINKS(LINK_COLUMN)};
	const struct link_report *l = r->links;
	struct drb_table *t = drb_table_new(stdout, format, columns, COUNT(columns));

#define PUT_COUNT(key, value, kind) drb_table_count(t, value);
#define PUT_SLOTS(key, member, ...) drb_table_real(t, in_slots(r, r->latency.member));
#define PUT_MICROS(key, member, ...) drb_table_real(t, in_us(r, r->latency.member));
	COUNTS(PUT_COUNT)
	LATENCIES(PUT_SLOTS)
	LATENCIES(PUT_MICROS)
	drb_table_count(t, r->latency.samples);
#define PUT_AS_COUNT drb_table_count
#define PUT_AS_REAL drb_table_real
#define PUT_AS_TEXT drb_table_text
#define PUT_LINK(key, kind, value, ...) PUT_AS_##kind(t, value);
#define PUT_ORDER(key, kind, value, ...) PUT_AS_##kind(t, value);
	ORDERS(PUT_ORDER)
	drb_table_real(t, r->offered_load);
	drb_table_real(t, r->achieved_load);
	drb_table_real(t, (double)r->slot_ns / 1e3);
	drb_table_real(t, r->late_mean_ns / 1e3);
	drb_table_real(t, r->late_max_ns / 1e3);
	drb_table_flag(t, report_late(r));
	drb_table_count(t, r->late);
	drb_table_count(t, l->late_switches);
	LINKS(PUT_LINK)
	drb_table_end(t);
}

static void print_counts(const struct report *r)
{
	static const struct drb_column columns[] = {COUNTS(COLUMN)};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, COUNT(columns));

	COUNTS(PUT_COUNT)
	drb_table_end(t);
}

static void print_latencies(const struct report *r)
{
	static const struct drb_column columns[] = {{"latency", NULL, DRB_TEXT, 0},
						    {"slots", NULL, DRB_REAL, 2},
						    {"us", NULL, DRB_REAL, 1}};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, COUNT(columns));

#define PUT_LINE(key, member, title)                                                               \
	drb_table_text(t, title);                                                                  \
	drb_table_real(t, in_slots(r, r->latency.member));                                         \
	drb_table_real(t, in_us(r, r->latency.member));
	LATENCIES(PUT_LINE)
	drb_table_end(t);
}

static void print_order(const struct report *r)
{
#define ORDER_TITLE(key, kind, value, title) {#key, title, DRB_##kind, 4},
	static const struct drb_column columns[] = {ORDERS(ORDER_TITLE)};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, COUNT(columns));

	ORDERS(PUT_ORDER)
	drb_table_end(t);
}

static void print_load(const struct report *r)
{
	static const struct drb_column columns[] = {{"offered load", NULL, DRB_REAL, 3},
						    {"achieved load", NULL, DRB_REAL, 3},
						    {"slot us", NULL, DRB_REAL, 1},
						    {"generator late us, mean", NULL, DRB_REAL, 1},
						    {"max", NULL, DRB_REAL, 1}};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, COUNT(columns));

	drb_table_real(t, r->offered_load);
	drb_table_real(t, r->achieved_load);
	drb_table_real(t, (double)r->slot_ns / 1e3);
	drb_table_real(t, r->late_mean_ns / 1e3);
	drb_table_real(t, r->late_max_ns / 1e3);
	drb_table_end(t);
}

static void print_links(const struct report *r)
{
	static const struct drb_column columns[] = {{"late switches", NULL, DRB_COUNT, 0},
						    {"slowest link %", NULL, DRB_REAL, 1},
						    {"lost by the machine", NULL, DRB_COUNT, 0},
						    {"late by it us", NULL, DRB_REAL, 1},
						    {"queues grow", NULL, DRB_TEXT, 0}};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, COUNT(columns));

	drb_table_count(t, r->links->late_switches);
	drb_table_real(t, 100 * r->links->slowest);
	drb_table_count(t, r->links->machine_lost);
	drb_table_real(t, machine_late_us(r));
	drb_table_text(t, drb_growth_word(r->links->growing));
	drb_table_end(t);
}

void report_measured(const struct report *r, enum drb_format format)
{
	if (format != DRB_FORMAT_TABLE) {
		print_row(r, format);
		return;
	}
	print_counts(r);
	putchar('\n');
	print_latencies(r);
	putchar('\n');
	print_order(r);
	putchar('\n');
	print_load(r);
	putchar('\n');
	print_links(r);
}
