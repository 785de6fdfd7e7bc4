// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/models/theory.h"
#include "sim/runs/jobs.h"
#include "sim/runs/options.h"

struct theory_verb {
	struct sim_common common;
	struct drb_reals lambda, threshold;
	bool tail;
	uint32_t queues; // of the chain
	double time;
	struct drb_ctmc_result *result; // [threshold][lambda]
};

#define AT(field) offsetof(struct theory_verb, field)

static const struct drb_option fixed_point_options[] = {
	{"--lambda", "RANGE",
	 "Arrivals per queue and mean service time (default 0.5,0.7,0.9,0.95,0.99)",
	 .kind = DRB_OPTION_OTHER, AT(lambda), 0, 1, sim_parse_shares},
	{"--threshold", "RANGE", "Thresholds T (default 0-5)", .kind = DRB_OPTION_OTHER,
	 AT(threshold), 0, DRB_THEORY_THRESHOLD_MAX, sim_parse_reals},
	{0},
};

static const struct drb_option theory_options[] = {
	{"--tail", NULL, "Print s_i, its bound z_i and the decay of the theorem instead",
	 .kind = DRB_OPTION_FLAG, AT(tail)},
	{0},
};

static const struct drb_option ctmc_options[] = {
	{"--queues", "COUNT", "Queues (default 1000)", .kind = DRB_OPTION_U32, AT(queues), 2, 1e8,
	 .letter = 'n'},
	{"--time", "UNITS",
	 "Mean service times to measure, after half as many to settle (default 2000)",
	 .kind = DRB_OPTION_REAL, AT(time), 1, 1e9},
	{0},
};

static void parse(struct theory_verb *v, const struct drb_option *options, const char *doc,
		  int argc, char **argv)
{
	const struct drb_options sets[] = {{.option = fixed_point_options, v},
					   {.option = options, v},
					   SIM_COMMON_SETS(&v->common),
					   {0}};

	drb_options_parse(sets, doc, argc, argv);
}

static struct theory_verb defaults(void)
{
	return (struct theory_verb){
		.common = sim_common_default(),
		.lambda = sim_reals("--lambda", "0.5,0.7,0.9,0.95,0.99", 0, 1),
		.threshold = sim_reals("--threshold", "0-5", 0, DRB_THEORY_THRESHOLD_MAX),
		.queues = 1000,
		.time = 2000,
	};
}

static void end(struct theory_verb *v)
{
	free(v->lambda.value);
	free(v->threshold.value);
	free(v->result);
}

static struct drb_theory solve(double lambda, double threshold)
{
	struct drb_theory th;
	int rc = drb_theory_solve(&th, lambda, threshold);

	if (rc < 0)
		drb_die("no fixed point for lambda %g, T %g: %s", lambda, threshold,
			rc == -ERANGE ? "the iteration does not settle; take a smaller one"
				      : strerror(-rc));
	return th;
}

static void print_theory(struct drb_table *table, const struct drb_theory *th, double threshold)
{
	drb_table_real(table, "lambda", NULL, 3, th->lambda);
	drb_table_real(table, "threshold", "T", 1, threshold);
	drb_table_real(table, "mean_queue", "mean queue", 4, th->mean_queue);
	drb_table_real(table, "mean_time", "mean time", 4, th->mean_time);
	drb_table_real(table, "redirected", NULL, 4, th->redirected);
	drb_table_real(table, "alpha", NULL, 4, th->alpha);
	drb_table_row_end(table);
}

// As far as a table can show.
static void print_tail(struct drb_table *table, const struct drb_theory *th, double threshold)
{
	for (uint32_t i = 0; i < th->count && th->s[i] > 1e-10; i++) {
		drb_table_real(table, "lambda", NULL, 3, th->lambda);
		drb_table_real(table, "threshold", "T", 1, threshold);
		drb_table_count(table, "i", NULL, i);
		drb_table_real(table, "s", "s_i", 10, th->s[i]);
		drb_table_real(table, "z", "z_i", 10, th->z[i]);
		drb_table_real(table, "decay", NULL, 10,
			       pow(th->lambda, th->c * pow(th->alpha, i) - 1));
		drb_table_row_end(table);
	}
}

int sim_theory(int argc, char **argv)
{
	struct theory_verb v = defaults();

	parse(&v, theory_options,
	      "Solves the mean-field equations of threshold-based two-choice queues.", argc, argv);
	struct drb_table *table = drb_table_new(stdout, v.common.format);
	for (size_t t = 0; t < v.threshold.count; t++) {
		for (size_t l = 0; l < v.lambda.count; l++) {
			struct drb_theory th = solve(v.lambda.value[l], v.threshold.value[t]);
			(v.tail ? print_tail : print_theory)(table, &th, v.threshold.value[t]);
			drb_theory_free(&th);
		}
	}
	drb_table_end(table);
	end(&v);
	return DRB_EXIT_OK;
}

static void ctmc_job(void *context, uint64_t i, uint32_t thread)
{
	struct theory_verb *v = context;
	struct drb_ctmc_setup setup = {
		.queues = v->queues,
		.lambda = v->lambda.value[i % v->lambda.count],
		.threshold = v->threshold.value[i / v->lambda.count],
		.warm_up = v->time / 2,
		.time = v->time,
		.seed = v->common.seed,
	};

	(void)thread;
	if (drb_ctmc_run(&setup, &v->result[i]) < 0)
		drb_die("not enough memory for %u queues", v->queues);
}

static void print_ctmc(struct drb_table *table, const struct theory_verb *v, uint64_t i)
{
	double lambda = v->lambda.value[i % v->lambda.count];
	double threshold = v->threshold.value[i / v->lambda.count];
	const struct drb_ctmc_result *r = &v->result[i];
	struct drb_theory th = solve(lambda, threshold);

	drb_table_real(table, "lambda", NULL, 3, lambda);
	drb_table_real(table, "threshold", "T", 1, threshold);
	drb_table_count(table, "queues", NULL, v->queues);
	drb_table_real(table, "mean_queue", "mean queue", 4, r->mean_queue);
	drb_table_real(table, "mean_queue_theory", "theory", 4, th.mean_queue);
	drb_table_real(table, "relative_error", "error", 4,
		       fabs(r->mean_queue - th.mean_queue) / th.mean_queue);
	drb_table_real(table, "mean_time", "mean time", 4, r->mean_time);
	drb_table_real(table, "mean_time_theory", "theory", 4, th.mean_time);
	drb_table_real(table, "redirected", NULL, 4, r->redirected);
	drb_table_real(table, "redirected_theory", "theory", 4, th.redirected);
	drb_table_row_end(table);
	drb_theory_free(&th);
}

int sim_ctmc(int argc, char **argv)
{
	struct theory_verb v = defaults();

	parse(&v, ctmc_options,
	      "Simulates the supermarket model and compares it with its fixed point.", argc, argv);
	uint64_t points = (uint64_t)v.lambda.count * v.threshold.count;
	v.result = sim_results_new(points, sizeof(*v.result));
	sim_jobs_run(&(struct sim_jobs){.count = points,
					.job = ctmc_job,
					.context = &v,
					.threads = v.common.threads,
					.what = "simulating queues",
					.results = v.result,
					.result_bytes = points * sizeof(*v.result)});
	struct drb_table *table = drb_table_new(stdout, v.common.format);
	for (uint64_t i = 0; i < points; i++)
		print_ctmc(table, &v, i);
	drb_table_end(table);
	end(&v);
	return DRB_EXIT_OK;
}
