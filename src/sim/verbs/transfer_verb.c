// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/flows/workload.h"
#include "sim/runs/jobs.h"
#include "sim/runs/options.h"
#include "sim/runs/rows.h"
#include "sim/runs/sample.h"
#include "sim/runs/transfer_options.h"

// A run goes on for so many times its slots while transfers are not over.
#define LONGEST 10

struct transfer_verb {
	struct sim_transfer_verb base; // first
	struct drb_reals load;
	const char *sizes_name;
	struct drb_sizes sizes;
	uint32_t slots, warmup, runs;
	bool list;
	struct drb_workload_result *result; // [scheme][load][run]
};

#define AT(field) offsetof(struct transfer_verb, field)

static const struct drb_option options[] = {
	{"--load", "RANGE", "Packets that a host sends per slot, on average (default 0.3,0.5,0.7)",
	 .kind = DRB_OPTION_OTHER, AT(load), 0, 1, sim_parse_shares},
	{"--sizes", "NAME",
	 "Sizes of transfers: websearch (default), datamining, fixed:N, file:PATH",
	 .kind = DRB_OPTION_TEXT, AT(sizes_name)},
	{"--slots", "COUNT", "Measure transfers that begin before slot COUNT (default 100000)",
	 .kind = DRB_OPTION_U32, AT(slots), 1, 1e8},
	{"--warmup", "COUNT", "Measure none that begins before slot COUNT (default 10000)",
	 .kind = DRB_OPTION_U32, AT(warmup), 0, 1e8},
	{"--runs", "COUNT", "Repetitions with consecutive seeds (default 1): figures are means",
	 .kind = DRB_OPTION_U32, AT(runs), 1, 10000},
	{"--list", NULL,
	 "Only print the transfers of the first run that begin in these slots, for drbsim replay",
	 .kind = DRB_OPTION_FLAG, AT(list)},
	{0},
};

// The paper's T, by the load of the uplinks: of packets by that; of flows by how many are on an uplink at a time,
// on average, if each takes its share of it.
static double threshold_at(const struct transfer_verb *v, enum drb_scheme scheme, double load)
{
	const double uplinks = sim_uplink_load(&v->base.fabric, scheme, load);

	return sim_transfers_threshold(&v->base, scheme, uplinks, uplinks / (1 - uplinks));
}

static struct drb_workload_setup setup_of(const struct transfer_verb *v, uint64_t i)
{
	uint64_t point = i / v->runs;
	double load = v->load.value[point % v->load.count];

	struct drb_workload_setup s = {
		.transfers = sim_transfers_setup(&v->base, i % v->runs),
		.sizes = &v->sizes,
		.load = load,
		.slots = v->slots,
		.warmup = v->warmup,
		.longest = LONGEST * v->slots,
	};

	s.transfers.scheme = v->base.fabric.scheme[point / v->load.count];
	s.transfers.threshold = threshold_at(v, s.transfers.scheme, load);
	s.transfers.choices = sim_choices(&v->base.fabric, s.transfers.scheme);
	return s;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct transfer_verb *v = context;
	struct drb_workload_setup setup = setup_of(v, i);

	(void)thread;
	sim_transfers_check(&v->base, drb_workload_run(&setup, &v->result[i]));
}

static uint32_t check(struct transfer_verb *v)
{
	char error[DRB_SIZES_ERROR_MAX];

	if (v->warmup >= v->slots)
		drb_die("--warmup %u: no fewer than the %u slots in which transfers begin",
			v->warmup, v->slots);
	if (drb_sizes_open(v->sizes_name, &v->sizes, error) < 0)
		drb_die("--sizes %s", error);
	return sim_transfers_prepare(&v->base);
}

// What the runs of a point have in common, of one class of sizes.
struct summary {
	uint64_t transfers, begun, broken, unfinished, packets, dropped, resent;
	uint32_t failed; // runs
	struct {
		struct sim_sample mean, p50, p99, p999;
	} time, slowdown;
};

// Runs without a transfer of this class tell nothing of it.
static void add_figure(struct sim_sample *s, double value)
{
	if (!isnan(value))
		sim_sample_add(s, value);
}

static struct summary summary_of(const struct transfer_verb *v, uint64_t point, int class)
{
	const struct drb_workload_result *r = v->result + point * v->runs;
	struct summary s = {0};

	for (uint32_t i = 0; i < v->runs; i++, r++) {
		const struct drb_latency *time = &r->of[class].time, *slow = &r->of[class].slowdown;
		s.transfers += time->samples;
		s.begun += r->begun;
		s.broken += r->broken;
		s.unfinished += r->unfinished;
		s.packets += r->packets;
		s.dropped += r->dropped;
		s.resent += r->resent;
		s.failed += r->failed;
		add_figure(&s.time.mean, time->mean);
		add_figure(&s.time.p50, time->p50);
		add_figure(&s.time.p99, time->p99);
		add_figure(&s.slowdown.mean, slow->mean / DRB_SLOWDOWN_ONE);
		add_figure(&s.slowdown.p50, slow->p50 / DRB_SLOWDOWN_ONE);
		add_figure(&s.slowdown.p99, slow->p99 / DRB_SLOWDOWN_ONE);
		add_figure(&s.slowdown.p999, slow->p999 / DRB_SLOWDOWN_ONE);
	}
	return s;
}

static void put_row(struct drb_table *t, const struct transfer_verb *v, uint64_t point, int class)
{
	const struct drb_workload_setup setup = setup_of(v, point * v->runs);
	const struct summary s = summary_of(v, point, class);
	uint32_t end = drb_size_class_end[class];

	drb_table_text(t, "scheme", NULL, drb_scheme_name(setup.transfers.scheme));
	drb_table_real(t, "load", NULL, 3, setup.load);
	drb_table_count(t, "packets_from", "from",
			class < 2 ? 1 : drb_size_class_end[class - 1] + 1);
	if (end == UINT32_MAX)
		drb_table_nothing(t, "packets_to", "to packets");
	else
		drb_table_count(t, "packets_to", "to packets", end);
	drb_table_real(t, "slowdown_mean", "slowdown", 2, sim_sample_mean(&s.slowdown.mean));
	drb_table_real(t, "slowdown_half", "+-", 2, sim_sample_half_width(&s.slowdown.mean));
	drb_table_real(t, "slowdown_p50", "median", 2, sim_sample_mean(&s.slowdown.p50));
	drb_table_real(t, "slowdown_p99", "99 %", 2, sim_sample_mean(&s.slowdown.p99));
	drb_table_real(t, "time_mean", "slots", 1, sim_sample_mean(&s.time.mean));
	drb_table_count(t, "unfinished", NULL, s.unfinished);
	drb_table_real(t, "slowdown_p999", "99.9 %", 2, sim_sample_mean(&s.slowdown.p999));
	drb_table_real(t, "time_half", "slots +-", 1, sim_sample_half_width(&s.time.mean));
	drb_table_real(t, "time_p50", "slots median", 0, sim_sample_mean(&s.time.p50));
	drb_table_real(t, "time_p99", "slots 99 %", 0, sim_sample_mean(&s.time.p99));
	drb_table_count(t, "broken", NULL, s.broken);
	sim_put_losses(t, s.packets, s.dropped, s.resent);
	drb_table_count(t, "transfers", NULL, s.transfers);
	sim_put_threshold(t, setup.transfers.scheme, setup.transfers.threshold);
	sim_put_source(t, &v->base);
	drb_table_text(t, "sizes", NULL, v->sizes_name);
	drb_table_count(t, "runs", NULL, v->runs);
	sim_put_tree(t, &v->base.fabric.tree);
	drb_table_row_end(t);
}

static void put_results(const struct transfer_verb *v, uint64_t points)
{
	struct drb_table *t = drb_table_new(stdout, v->base.common.format);

	for (uint64_t i = 0; i < points; i++) {
		const struct drb_workload_setup setup = setup_of(v, i * v->runs);
		const struct summary s = summary_of(v, i, 0);
		for (int class = 0; class < DRB_SIZE_CLASSES; class ++)
			put_row(t, v, i, class);
		if (s.failed || s.unfinished)
			drb_warn("%s at load %g: %" PRIu64 " of %" PRIu64
				 " transfers were not over when %s; the figures leave them out",
				 drb_scheme_name(setup.transfers.scheme), setup.load, s.unfinished,
				 s.begun, s.failed ? "memory ran out" : "the run ended");
	}
	drb_table_end(t);
}

static int put_list(struct transfer_verb *v)
{
	const struct drb_workload_setup setup = setup_of(v, 0);
	struct drb_list list = {0};

	if (v->load.count != 1)
		drb_die("--list: a list is of one load: take one --load");
	const char *wrong = drb_list_wrong(drb_workload_list(&setup, &list));
	if (wrong)
		drb_die("--list: %s", wrong);
	drb_list_print(&list, stdout);
	drb_list_free(&list);
	drb_sizes_free(&v->sizes);
	free(v->load.value);
	return DRB_EXIT_OK;
}

int sim_transfer(int argc, char **argv)
{
	struct transfer_verb v = {.base = sim_transfer_default(),
				  .load = sim_reals("--load", "0.3,0.5,0.7", 0, 1),
				  .sizes_name = "websearch",
				  .slots = 100000,
				  .warmup = 10000,
				  .runs = 1};

	const struct drb_options sets[] = {SIM_TRANSFER_SETS(&v.base),
					   {.option = options, &v},
					   SIM_COMMON_SETS(&v.base.common),
					   {0}};
	drb_options_parse(
		sets,
		"Simulates transfers between random hosts: completion times and slowdowns.\v"
		"Prints a row for all transfers of a scheme and load, and one for each class of "
		"sizes (limits 100 kB and 10 MB in packets of 1460 bytes). +- is half of the 95 "
		"% interval over --runs (Student's t). A file of sizes has lines packets,share: "
		"this share of the transfers has at most so many packets.",
		argc, argv);
	uint32_t threads = check(&v);
	if (v.list)
		return put_list(&v);
	uint64_t points = (uint64_t)v.base.fabric.schemes * v.load.count;
	v.result = sim_results_new(points * v.runs, sizeof(*v.result));
	sim_jobs_run(&(struct sim_jobs){.count = points * v.runs,
					.job = job,
					.context = &v,
					.threads = threads,
					.what = "simulating transfers",
					.results = v.result,
					.result_bytes = points * v.runs * sizeof(*v.result)});
	put_results(&v, points);
	drb_sizes_free(&v.sizes);
	free(v.result);
	free(v.load.value);
	return DRB_EXIT_OK;
}
