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
	drb_table_text(t, "host", NULL, name);
#define PUT(key) drb_table_count(t, #key, NULL, row->key);
	COUNTS(PUT)
#undef PUT
}

static void put_count(struct drb_table *t, const char *key, bool known, uint64_t value)
{
	if (known)
		drb_table_count(t, key, NULL, value);
	else
		drb_table_count(t, key, NULL, DRB_UNKNOWN);
}

// The sum of the latencies of all packets.
static double latency_ns(const struct replay_result *run)
{
	return run->latency.mean * (double)run->tally.received;
}

// Cells that only the row of all hosts has; NULL: left empty.
static void put_run(struct drb_table *t, const struct foreign_report *r,
		    const struct replay_result *run)
{
	double seconds = run ? run->sending_ns / 1e9 : NAN;

	put_count(t, "not_sent", run, run ? run->failed : 0);
	put_count(t, "skipped", run, foreign_skipped_count(&r->traffic->skipped));
	put_count(t, "cut", run, r->cut);
	drb_table_real(t, "seconds", NULL, 3, seconds);
	drb_table_real(t, "pps", NULL, 0, run && seconds > 0 ? (double)run->sent / seconds : NAN);
	drb_table_real(t, "late_max_us", "late us", 1, run ? run->late_max_ns / 1e3 : NAN);
	if (run)
		drb_table_flag(t, "late", "", link_report_slowed(&run->links, latency_ns(run)));
	else
		drb_table_text(t, "late", "", NULL);
	if (run)
		drb_table_count(t, "latency_samples", "", run->latency.samples);
	else
		drb_table_count(t, "latency_samples", "", DRB_UNKNOWN);
#define PUT(member, ...)                                                                           \
	drb_table_real(t, "latency_" #member "_us", "", 1, run ? run->latency.member / 1e3 : NAN);
	LATENCIES(PUT)
#undef PUT
	drb_table_row_end(t);
}

static struct row print_rows(const struct foreign_report *r, enum drb_format format)
{
	struct drb_table *t = drb_table_new(r->out, format);
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

static void print_latencies(const struct drb_latency *l, FILE *out)
{
	struct drb_table *t = drb_table_new(out, DRB_FORMAT_TABLE);

#define LINE(member, name)                                                                         \
	drb_table_text(t, "latency", NULL, name);                                                  \
	drb_table_real(t, "us", NULL, 1, l->member / 1e3);                                         \
	drb_table_row_end(t);
	LATENCIES(LINE)
	drb_table_end(t);
}

bool foreign_report_print(const struct foreign_report *r, enum drb_format format)
{
	const struct replay_result *run = r->run;
	struct row all = print_rows(r, format);

	if (format == DRB_FORMAT_TABLE && run->latency.samples) {
		fprintf(r->out,
			"\nLatency of the %" PRIu64
			" packets that are unlike all others under way (of %" PRIu64
			" received):\n",
			run->latency.samples, all.received);
		print_latencies(&run->latency, r->out);
	}
	if (format == DRB_FORMAT_TABLE) {
		fputc('\n', r->out);
		size_t more = flow_report_print(r->out, format, &r->traffic->flows, r->places,
						FLOWS_SHOWN);
		if (more)
			fprintf(r->out, "and %zu more: --flow-records FILE has all\n", more);
		if (*r->busiest)
			fprintf(r->out, "\nThe busiest links (--links FILE has all):\n%s",
				r->busiest);
	}
	if (all.others)
		drb_info("%" PRIu64 " other packets came to the hosts (others): %straffic of other "
			 "programs; they use the links, too",
			 all.others,
			 run->answers ? "replies of their own kernels, which do not know the "
					"replay, or "
				      : "");
	link_report_say(&run->links, all.lost, latency_ns(run));
	return !all.lost && !all.duplicated && !all.misdelivered && !all.receiver_dropped &&
	       !run->failed;
}
