// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/flows/job.h"
#include "sim/runs/jobs.h"
#include "sim/runs/options.h"
#include "sim/runs/rows.h"
#include "sim/runs/sample.h"
#include "sim/runs/transfer_options.h"

#define JOBS_MAX 8

struct job_verb {
	struct sim_transfer_verb base; // first
	struct drb_job job[JOBS_MAX];
	uint32_t jobs, data, runs, by_label;
	bool list;
	struct drb_job_result *result; // [job][scheme][run]
};

static void parse_jobs(const struct drb_option *o, const char *list, void *verb)
{
	struct job_verb *v = verb;
	char name[DRB_JOB_NAME_MAX];

	(void)o;
	v->jobs = 0;
	for (const char *p = list;; p++) {
		size_t len = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		if (v->jobs == JOBS_MAX)
			drb_die("--job %s: more than %d", list, JOBS_MAX);
		if (drb_job_parse(name, &v->job[v->jobs++]) < 0)
			drb_die("--job %s: no job '%.*s': must be all-reduce-ring, "
				"all-reduce-halving, all-to-all, incast or pipeline:PARTS",
				list, (int)len, p);
		p += len;
		if (*p == '\0')
			return;
	}
}

#define AT(field) offsetof(struct job_verb, field)

static const struct drb_option options[] = {
	{"--job", "LIST",
	 "Jobs, such as all-reduce-ring,all-to-all (default: these two, and all-reduce-halving "
	 "if it fits); see below",
	 .kind = DRB_OPTION_OTHER, 0, .parse = parse_jobs},
	{"--data", "PACKETS", "Data of each host (default 1024)", .kind = DRB_OPTION_U32, AT(data),
	 1, 1e7},
	{"--place", "random|label", "Assign ranks to hosts at random (default), or by label",
	 .kind = DRB_OPTION_WORD, AT(by_label)},
	{"--runs", "COUNT", "Repetitions with consecutive seeds (default 5)",
	 .kind = DRB_OPTION_U32, AT(runs), 1, 10000},
	{"--list", NULL, "Only print the transfers of the first run, for drbsim replay",
	 .kind = DRB_OPTION_FLAG, AT(list)},
	{0},
};

static struct drb_job_setup setup_of(const struct job_verb *v, uint64_t i)
{
	uint64_t point = i / v->runs;
	struct drb_job_setup s = {
		.transfers = sim_transfers_setup(&v->base, i % v->runs),
		.job = v->job[point / v->base.fabric.schemes],
		.shuffled = !v->by_label,
		.longest = v->base.longest,
	};

	s.transfers.scheme = v->base.fabric.scheme[point % v->base.fabric.schemes];
	// Hosts send as fast as they can: the packets' threshold is that of a link that is nearly full.
	s.transfers.threshold = sim_transfers_threshold(&v->base, s.transfers.scheme, 0.9, 1);
	s.transfers.choices = sim_choices(&v->base.fabric, s.transfers.scheme);
	s.job.data = v->data;
	return s;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct job_verb *v = context;
	struct drb_job_setup setup = setup_of(v, i);

	(void)thread;
	sim_transfers_check(&v->base, drb_job_run(&setup, &v->result[i]));
	if (v->result[i].failed)
		drb_die("F(%u,%u) ran out of memory; raise --memory, or take less --data or a "
			"longer --timeout",
			v->base.fabric.layers, v->base.fabric.arity);
}

static uint32_t check(struct job_verb *v)
{
	uint32_t hosts = v->base.fabric.tree.hosts;
	char name[DRB_JOB_NAME_MAX];

	if (v->jobs == 0) {
		static const enum drb_job_kind kinds[] = {DRB_JOB_RING, DRB_JOB_ALL_TO_ALL,
							  DRB_JOB_HALVING};
		for (int i = 0; i < 3; i++) {
			v->job[v->jobs].kind = kinds[i];
			v->jobs += drb_job_fits(&v->job[v->jobs], hosts) == 0;
		}
	}
	for (uint32_t i = 0; i < v->jobs; i++) {
		drb_job_format(&v->job[i], name);
		if (drb_job_fits(&v->job[i], hosts) < 0)
			drb_die("--job %s: F(%u,%u) has %u hosts, which is no power of two", name,
				v->base.fabric.layers, v->base.fabric.arity, hosts);
	}
	if (v->base.gray.links && !drb_hosts_spread(v->base.hosts))
		drb_die("--gray: a transfer that keeps a path over such a link never ends: take "
			"--hosts "
			"spray or reps");
	return sim_transfers_prepare(&v->base);
}

// Makespans of the runs that came to their end.
struct summary {
	struct sim_sample makespan, alone, slowdown;
	double least, most;
	uint64_t packets, dropped, resent, never, transfers;
};

static struct summary summary_of(const struct drb_job_result *r, uint32_t runs)
{
	struct summary s = {.least = NAN, .most = NAN};

	for (uint32_t i = 0; i < runs; i++) {
		double makespan = (double)r[i].makespan, alone = (double)r[i].alone;
		s.packets += r[i].packets;
		s.dropped += r[i].dropped;
		s.resent += r[i].resent;
		s.never += r[i].never;
		s.transfers += r[i].transfers;
		if (!r[i].makespan)
			continue;
		sim_sample_add(&s.makespan, makespan);
		sim_sample_add(&s.alone, alone);
		sim_sample_add(&s.slowdown, makespan / alone);
		s.least = fmin(s.least, makespan);
		s.most = fmax(s.most, makespan);
	}
	return s;
}

static void put_row(struct drb_table *t, const struct job_verb *v, uint64_t point)
{
	const struct drb_job_setup setup = setup_of(v, point * v->runs);
	const struct summary s = summary_of(v->result + point * v->runs, v->runs);
	char name[DRB_JOB_NAME_MAX], of[DRB_JOB_NAME_MAX + 32];

	drb_job_format(&setup.job, name);
	snprintf(of, sizeof(of), "%s, %s", drb_scheme_name(setup.transfers.scheme), name);
	sim_warn_never(&v->base, of, s.never, s.transfers);
	drb_table_text(t, "scheme", NULL, drb_scheme_name(setup.transfers.scheme));
	drb_table_text(t, "job", NULL, name);
	drb_table_real(t, "makespan_mean", "makespan", 1, sim_sample_mean(&s.makespan));
	drb_table_real(t, "makespan_half", "+-", 1, sim_sample_half_width(&s.makespan));
	drb_table_real(t, "slowdown_mean", "slowdown", 3, sim_sample_mean(&s.slowdown));
	drb_table_real(t, "slowdown_half", "+-", 3, sim_sample_half_width(&s.slowdown));
	drb_table_count(t, "broken", NULL, v->runs - s.makespan.count);
	sim_put_losses(t, s.packets, s.dropped, s.resent);
	drb_table_real(t, "makespan_min", "min", 0, s.least);
	drb_table_real(t, "makespan_max", "max", 0, s.most);
	drb_table_real(t, "alone_mean", "alone", 1, sim_sample_mean(&s.alone));
	sim_put_threshold(t, setup.transfers.scheme, setup.transfers.threshold);
	drb_table_text(t, "place", NULL, v->by_label ? "label" : "random");
	drb_table_count(t, "data", NULL, v->data);
	sim_put_source(t, &v->base);
	drb_table_count(t, "runs", NULL, v->runs);
	sim_put_tree(t, &v->base.fabric.tree);
	drb_table_row_end(t);
}

static int put_list(const struct job_verb *v)
{
	const struct drb_job_setup setup = setup_of(v, 0);
	struct drb_list list = {0};

	if (v->jobs != 1)
		drb_die("--list: a list is of one job: take one --job");
	if (v->base.hosts == DRB_HOSTS_ETHEREAL)
		drb_die("--list: a list does not say how hosts split transfers: leave out --hosts "
			"ethereal");
	const char *wrong = drb_list_wrong(drb_job_list(&setup, &list));
	if (wrong)
		drb_die("--list: %s", wrong);
	drb_list_print(&list, stdout);
	drb_list_free(&list);
	return DRB_EXIT_OK;
}

int sim_job(int argc, char **argv)
{
	struct job_verb v = {.base = sim_transfer_default(), .data = 1024, .runs = 5};

	v.base.jobs = true;

	const struct drb_options sets[] = {SIM_TRANSFER_SETS(&v.base),
					   {.option = sim_longest_option, &v.base},
					   {.option = options, &v},
					   SIM_COMMON_SETS(&v.base.common),
					   {0}};
	drb_options_parse(
		sets,
		"Simulates jobs in which all hosts exchange data, and prints their durations.\v"
		"Jobs: all-reduce-ring, all-reduce-halving (recursive halving and doubling), "
		"all-to-all, incast (all to one), pipeline:PARTS. Alone: the time it would take "
		"if no transfer waited for another one on a link. Behind +- is half of the 95 % "
		"interval over the --runs (Student's t).",
		argc, argv);
	uint32_t threads = check(&v);
	if (v.list)
		return put_list(&v);
	uint64_t points = (uint64_t)v.jobs * v.base.fabric.schemes;
	v.result = sim_results_new(points * v.runs, sizeof(*v.result));
	sim_jobs_run(&(struct sim_jobs){.count = points * v.runs,
					.job = job,
					.context = &v,
					.threads = threads,
					.what = "simulating jobs",
					.results = v.result,
					.result_bytes = points * v.runs * sizeof(*v.result)});
	struct drb_table *table = drb_table_new(stdout, v.base.common.format);
	for (uint64_t i = 0; i < points; i++)
		put_row(table, &v, i);
	drb_table_end(table);
	free(v.result);
	return DRB_EXIT_OK;
}
