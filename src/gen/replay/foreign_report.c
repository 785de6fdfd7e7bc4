// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/foreign_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "gen/replay/flow_report.h"

// Figures of one host, or of all.
#define COUNTS(X)                                                                                  \
	X(sent)                                                                                    \
	X(received)                                                                                \
	X(lost)                                                                                    \
	X(duplicated)                                                                              \
	X(misdelivered)                                                                            \
	X(others)                                                                                  \
	X(receiver_dropped)

#define LATENCIES(X)                                                                               \
	X(mean, "mean")                                                                            \
	X(p50, "median")                                                                           \
	X(p99, "99 %")                                                                             \
	X(p999, "99.9 %")                                                                          \
	X(max, "maximum")

struct row {
#define MEMBER(key) uint64_t key;
	COUNTS(MEMBER)
#undef MEMBER
};

#define FLOWS_SHOWN 16

static struct row row_of(const struct recognised *h)
{
	uint64_t dropped = h->receiver_dropped;

	return (struct row){.sent = h->sent,
			    .received = h->received,
			    .lost = h->missing > dropped ? h->missing - dropped : 0,
			    .duplicated = h->duplicated,
			    .misdelivered = h->misdelivered,
			    .others = h->strangers,
			    .receiver_dropped = dropped};
}

static void put_row(struct drb_table *t, const char *name, const struct row *row)
{
	drb_table_text(t, name);
#define PUT(key) drb_table_count(t, row->key);
	COUNTS(PUT)
#undef PUT
}

static void put_count(struct drb_table *t, bool known, uint64_t value)
{
	if (known)
		drb_table_count(t, value);
	else
		drb_table_nothing(t);
}

// Cells that only the row of all hosts has; run NULL: left empty.
static void put_run(struct drb_table *t, const struct foreign_report *r,
		    const struct replay_result *run)
{
	double seconds = run ? run->sending_ns / 1e9 : NAN;

	put_count(t, run, run ? run->failed : 0);
	put_count(t, run, foreign_skipped_count(&r->traffic->skipped));
	put_count(t, run, r->cut);
	drb_table_real(t, seconds);
	drb_table_real(t, run && seconds > 0 ? (double)run->sent / seconds : NAN);
	drb_table_real(t, run ? run->late_max_ns / 1e3 : NAN);
	put_count(t, run, run ? run->latency.samples : 0);
#define PUT(member, ...) drb_table_real(t, run ? run->latency.member / 1e3 : NAN);
	LATENCIES(PUT)
#undef PUT
}

static struct row print_rows(const struct foreign_report *r, enum drb_format format)
{
#define COUNT(key) {#key, NULL, DRB_COUNT, 0},
#define LATENCY(member, ...) {"latency_" #member "_us", "", DRB_REAL, 1},
	static const struct drb_column columns[] = {{"host", NULL, DRB_TEXT, 0},
						    COUNTS(COUNT){"not_sent", NULL, DRB_COUNT, 0},
						    {"skipped", NULL, DRB_COUNT, 0},
						    {"cut", NULL, DRB_COUNT, 0},
						    {"seconds", NULL, DRB_REAL, 3},
						    {"pps", NULL, DRB_REAL, 0},
						    {"late_max_us", "late us", DRB_REAL, 1},
						    {"latency_samples", "", DRB_COUNT, 0},
						    LATENCIES(LATENCY)};
	struct drb_table *t =
		drb_table_new(stdout, format, columns, sizeof(columns) / sizeof(columns[0]));
	struct row all = {0};

	for (uint32_t h = 0; h < r->hosts; h++) {
		char name[DRB_NAME_MAX];
		struct row row = row_of(&r->by_host[h]);
		uint64_t any = 0;
#define ADD(key) any += row.key, all.key += row.key;
		COUNTS(ADD)
#undef ADD
		if (any == 0 && format == DRB_FORMAT_TABLE)
			continue;
		drb_node_name(name, 0, h);
		put_row(t, name, &row);
		put_run(t, r, NULL);
	}
	put_row(t, "all", &all);
	put_run(t, r, r->run);
	drb_table_end(t);
	return all;
}

static void print_latencies(const struct drb_latency *l)
{
	static const struct drb_column columns[] = {{"latency", NULL, DRB_TEXT, 0},
						    {"us", NULL, DRB_REAL, 1}};
	struct drb_table *t = drb_table_new(stdout, DRB_FORMAT_TABLE, columns, 2);

#define LINE(member, title)                                                                        \
	drb_table_text(t, title);                                                                  \
	drb_table_real(t, l->member / 1e3);
	LATENCIES(LINE)
	drb_table_end(t);
}

bool foreign_report_print(const struct foreign_report *r, enum drb_format format)
{
	const struct replay_result *run = r->run;
	struct row all = print_rows(r, format);

	if (format == DRB_FORMAT_TABLE && run->latency.samples) {
		printf("\nLatency of the %" PRIu64
		       " packets that are unlike all others under way (of %" PRIu64 " received):\n",
		       run->latency.samples, all.received);
		print_latencies(&run->latency);
	}
	if (format == DRB_FORMAT_TABLE) {
		putchar('\n');
		size_t more = flow_report_print(stdout, format, &r->traffic->flows, r->places,
						FLOWS_SHOWN);
		if (more)
			printf("and %zu more: --flow-records FILE has all\n", more);
	}
	if (all.others)
		drb_info("%" PRIu64
			 " other packets came to the hosts (others): %straffic of other programs; "
			 "they take room on the links, too",
			 all.others,
			 run->answers ? "answers of their own kernels, which know nothing of what "
					"was replayed, or "
				      : "");
	link_report_say(&run->links, all.lost, run->latency.mean * (double)all.received);
	return !all.lost && !all.duplicated && !all.misdelivered && !all.receiver_dropped &&
	       !run->failed;
}
