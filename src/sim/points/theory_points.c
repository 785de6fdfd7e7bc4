// SPDX-License-Identifier: BSD-3-Clause
// The fixed point of the paper's theory and the supermarket model, as models of the engine.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "sim/models/theory.h"
#include "sim/points/models.h"
#include "sim/points/rates.h"

#include "drb/threshold.h"

// The fixed point.

struct theory_point {
	struct sim_rates rates; // must be first
	bool tail;
};

struct tail_row {
	uint32_t i;
	double s, z, decay;
};

struct theory_row {
	double mean_queue, mean_time, redirected, alpha, paper_threshold;
};

static const struct drb_option theory_options[] = {
	{"--tail", NULL, "Also s_i, its bound z_i and the decay of the theorem",
	 .kind = DRB_OPTION_FLAG, offsetof(struct theory_point, tail)},
	{0},
};

static const struct sim_set theory_sets[] = {
	{sim_rate_options, offsetof(struct theory_point, rates)},
	{theory_options, 0},
	{.options = NULL},
};

#define AT(field) offsetof(struct theory_row, field)

static const struct sim_column theory_columns[] = {
	SIM_RATE_COLUMNS,
	{"mean_queue", SIM_REAL, .at = AT(mean_queue), 4, .unit = "packets"},
	{"mean_time", SIM_REAL, .at = AT(mean_time), 4, .unit = "mean service times"},
	{"redirected", SIM_REAL, .at = AT(redirected), 4, .help = "share of arrivals"},
	{"alpha", SIM_REAL, .at = AT(alpha), 4, .help = "alpha^(T+1) = alpha^T + 1"},
	{"paper_threshold", SIM_REAL, .at = AT(paper_threshold), 2, .help = "T of lambda"},
	{0},
};

#undef AT
#define AT(field) offsetof(struct tail_row, field)

static const struct sim_column tail_columns[] = {
	{"i", SIM_U32, .at = AT(i), .unit = "packets"},
	{"s", SIM_REAL, .at = AT(s), 10, .help = "share of queues with at least i packets"},
	{"z", SIM_REAL, .at = AT(z), 10, .help = "bound of s"},
	{"decay", SIM_REAL, .at = AT(decay), 10, .help = "lambda^(c alpha^i - 1)"},
	{0},
};

static bool is_tail_asked(const void *point)
{
	return ((const struct theory_point *)point)->tail;
}

static const struct sim_part theory_parts[] = {
	{"tail", "shares of queues with at least i packets, down to 1e-30", tail_columns,
	 sizeof(struct tail_row), .asked = is_tail_asked},
	{0},
};

static int solve(struct drb_theory *th, const struct sim_rates *r, struct sim_outcome *out)
{
	int rc = drb_theory_solve(th, r->lambda, r->threshold);

	if (rc == -ERANGE)
		snprintf(out->error, sizeof(out->error),
			 "no fixed point for lambda %g, T %g: the iteration does not settle; take "
			 "a smaller lambda",
			 r->lambda, r->threshold);
	return rc;
}

static int run_theory(const void *point, struct sim_outcome *out)
{
	const struct theory_point *p = point;
	struct theory_row *row = out->row;
	struct drb_theory th;
	int rc = solve(&th, &p->rates, out);

	if (rc < 0)
		return rc;
	*row = (struct theory_row){th.mean_queue, th.mean_time, th.redirected, th.alpha,
				   drb_threshold_packet(p->rates.lambda)};
	struct tail_row *tail = p->tail ? calloc(th.count, sizeof(*tail)) : NULL;
	for (uint32_t i = 0; tail && i < th.count; i++)
		tail[i] = (struct tail_row){i, th.s[i], th.z[i],
					    pow(th.lambda, th.c * pow(th.alpha, i) - 1)};
	out->part[0].rows = tail;
	out->part[0].count = tail ? th.count : 0;
	drb_theory_free(&th);
	return 0;
}

const struct sim_model sim_theory_model = {
	.name = "theory",
	.help = "fixed point of the mean-field equations",
	.sets = theory_sets,
	.size = sizeof(struct theory_point),
	.columns = theory_columns,
	.row_size = sizeof(struct theory_row),
	.parts = theory_parts,
	.check = sim_rates_check,
	.run = run_theory,
};

// The supermarket model.

struct ctmc_point {
	struct sim_rates rates; // must be first
	uint32_t queues;
	double time, warm_up;
	uint64_t seed;
};

struct ctmc_row {
	struct drb_ctmc_result r;
	struct sim_reals s;
	double queue_theory, time_theory, redirected_theory, error;
};

#undef AT
#define AT(field) offsetof(struct ctmc_point, field)

static const struct drb_option ctmc_options[] = {
	{"--queues", "COUNT", "Queues", .kind = DRB_OPTION_U32, AT(queues), 2, 1e8, .letter = 'n',
	 .initial = "1000"},
	{"--time", "UNITS", "Mean service times to measure", .kind = DRB_OPTION_REAL, AT(time), 1,
	 1e9, .initial = "2000", .unit = "mean service times"},
	{"--warm-up", "UNITS", "Mean service times before that (default: half of --time)",
	 .kind = DRB_OPTION_REAL, AT(warm_up), 0, 1e9, .unit = "mean service times"},
	{0},
};

static const struct sim_set ctmc_sets[] = {
	{sim_rate_options, AT(rates)},
	{ctmc_options, 0},
	{sim_seed_option, AT(seed)},
	{.options = NULL},
};

static const struct sim_column ctmc_columns[] = {
	SIM_RATE_COLUMNS,
	{"queues", SIM_U32, .at = AT(queues), .of_point = true},
#undef AT
#define AT(field) offsetof(struct ctmc_row, field)
	{"mean_queue", SIM_REAL, .at = AT(r.mean_queue), 4, SIM_SPREAD, "packets"},
	{"mean_queue_theory", SIM_REAL, .at = AT(queue_theory), 4, SIM_MEAN, "packets"},
	{"relative_error", SIM_REAL, .at = AT(error), 4, SIM_MEAN, NULL, "of the theory"},
	{"mean_time", SIM_REAL, .at = AT(r.mean_time), 4, SIM_MEAN, "mean service times"},
	{"mean_time_theory", SIM_REAL, .at = AT(time_theory), 4, SIM_MEAN, "mean service times"},
	{"redirected", SIM_REAL, .at = AT(r.redirected), 4, SIM_MEAN, NULL, "share of arrivals"},
	{"redirected_theory", SIM_REAL, .at = AT(redirected_theory), 4, SIM_MEAN},
	{"correlation", SIM_REAL, .at = AT(r.correlation), 4, SIM_MEAN, NULL,
	 "of the lengths of two queues at one time"},
	{"s", SIM_REALS, .at = AT(s), .help = "shares of queues with at least 1, 2, ... packets"},
	{"seed", SIM_WHOLE, .at = offsetof(struct ctmc_point, seed), .of_point = true},
	{0},
};

static void check_ctmc(void *point)
{
	struct ctmc_point *p = point;

	sim_rates_check(&p->rates);
	if (p->warm_up == 0)
		p->warm_up = p->time / 2;
}

static int run_ctmc(const void *point, struct sim_outcome *out)
{
	const struct ctmc_point *p = point;
	struct ctmc_row *row = out->row;
	const struct drb_ctmc_setup setup = {.queues = p->queues,
					     .lambda = p->rates.lambda,
					     .threshold = p->rates.threshold,
					     .warm_up = p->warm_up,
					     .time = p->time,
					     .seed = p->seed};
	struct drb_theory th;
	int rc = drb_ctmc_run(&setup, &row->r);

	if (rc < 0)
		return rc;
	row->s = (struct sim_reals){row->r.s + 1, DRB_CTMC_LEVELS - 1};
	while (row->s.count > 1 && row->s.value[row->s.count - 1] == 0)
		row->s.count--;
	rc = solve(&th, &p->rates, out);
	if (rc < 0)
		return rc;
	row->queue_theory = th.mean_queue;
	row->time_theory = th.mean_time;
	row->redirected_theory = th.redirected;
	row->error = fabs(row->r.mean_queue - th.mean_queue) / th.mean_queue;
	drb_theory_free(&th);
	return 0;
}

const struct sim_model sim_ctmc_model = {
	.name = "ctmc",
	.help = "supermarket model compared with its fixed point",
	.sets = ctmc_sets,
	.size = sizeof(struct ctmc_point),
	.columns = ctmc_columns,
	.row_size = sizeof(struct ctmc_row),
	.check = check_ctmc,
	.run = run_ctmc,
};
