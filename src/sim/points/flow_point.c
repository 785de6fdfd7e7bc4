// SPDX-License-Identifier: BSD-3-Clause
// The flow model as a model of the engine. A point consists of many draws from one seed.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cli/log.h"

#include "sim/models/flow.h"
#include "sim/models/flow_global.h"
#include "sim/models/flow_worst.h"
#include "sim/points/fabric_options.h"
#include "sim/points/models.h"
#include "sim/engine/sample.h"

#define TOGETHER 8

enum paths { BY_SCHEME, BY_PATH, OPTIMAL };

struct flow_point {
	struct sim_fabric fabric; // must be first
	uint32_t flows, runs;
	enum paths paths;
	bool worst;
	uint64_t seed;
	double threshold; // valid after the check
};

struct flow_row {
	const char *scheme;
	double threshold, half, estimate, error;
	struct drb_flow_summary s;
};

#define AT(field) offsetof(struct flow_point, field)

#define PATHS "scheme|two|optimal"

static const struct drb_option options[] = {
	{"--flows", "COUNT", "Flows per host, c", .kind = DRB_OPTION_U32, AT(flows), 1, 1e6,
	 .initial = "1"},
	{"--paths", PATHS,
	 "Who gives flows their paths: each switch by its scheme; for each flow, two random paths "
	 "are compared as a whole; or all are chosen with all links in view",
	 .kind = DRB_OPTION_WORD, AT(paths), .initial = "scheme"},
	{"--worst", NULL, "One permutation, the worst for D-mod-k, instead of random ones",
	 .kind = DRB_OPTION_FLAG, AT(worst)},
	{"--runs", "COUNT", "Repetitions", .kind = DRB_OPTION_U32, AT(runs), 1, 1e6,
	 .initial = "200"},
	{0},
};

static const struct sim_set sets[] = {
	{sim_fabric_options, AT(fabric)},
	{options, 0},
	{sim_seed_option, AT(seed)},
	{.options = NULL},
};

#undef AT
#define AT(field) offsetof(struct flow_row, field)

static const struct sim_column columns[] = {
	{"scheme", SIM_NAME, .at = AT(scheme)},
	{"flows", SIM_U32, .at = offsetof(struct flow_point, flows), .of_point = true,
	 .unit = "per host"},
	{"threshold", SIM_REAL, .at = AT(threshold), 2},
	{"max_load", SIM_REAL, .at = AT(s.max_load), 2, SIM_MEAN, "flows",
	 "on the busiest link of either direction, mean of the runs"},
	{"max_load_sd", SIM_REAL, .at = AT(s.max_load_sd), 2, SIM_MEAN, "flows"},
	{"max_load_half", SIM_REAL, .at = AT(half), 2, SIM_MEAN, "flows",
	 "half of the 95 % interval"},
	{"max_up", SIM_REAL, .at = AT(s.max_up), 2, SIM_MEAN, "flows"},
	{"max_down", SIM_REAL, .at = AT(s.max_down), 2, SIM_MEAN, "flows"},
	{"redirected", SIM_REAL, .at = AT(s.redirected), 4, SIM_MEAN, NULL,
	 "share of decisions that left the default uplink"},
	{"kept", SIM_REAL, .at = AT(s.kept), 4, SIM_MEAN, NULL,
	 "share of flows through a core that took the default at each switch"},
	{"estimate", SIM_REAL, .at = AT(estimate), 2, SIM_MEAN, "flows",
	 "of max_load, the paper's"},
	{"relative_error", SIM_REAL, .at = AT(error), 4, SIM_MEAN, NULL, "of the estimate"},
	{"runs", SIM_U32, .at = offsetof(struct flow_point, runs), .of_point = true},
	{"seed", SIM_WHOLE, .at = offsetof(struct flow_point, seed), .of_point = true},
	SIM_FABRIC_COLUMNS,
	{0},
};

static double paper_threshold(const struct flow_point *p)
{
	const struct sim_threshold *t = &p->fabric.threshold;
	const double flows =
		isnan(t->load) ? drb_tree_uplink_load(&p->fabric.tree, p->flows) : t->load;

	return drb_threshold_flow(flows, p->fabric.tree.hosts);
}

static void flow_point_check(void *point)
{
	struct flow_point *p = point;

	sim_fabric_check(&p->fabric);
	sim_flow_scheme_check(&p->fabric, "see drbsim packet");
	p->threshold = sim_fixed_threshold(&p->fabric);
	if (isnan(p->threshold))
		p->threshold = paper_threshold(p);
	if (p->worst && p->flows != 1)
		drb_die("--worst: is one permutation: take --flows 1");
	if ((p->worst || p->paths != BY_SCHEME) &&
	    (sim_has_fewer_uplinks(&p->fabric) || p->fabric.layers < 2))
		drb_die(p->worst
				? "--worst: takes a fat-tree of 2 layers or more with all uplinks"
				: "--paths: takes a fat-tree of 2 layers or more with all uplinks");
}

static bool takes(void *point)
{
	return !drb_scheme_packets_only(((const struct flow_point *)point)->fabric.scheme);
}

static uint64_t bytes(const void *point)
{
	const struct flow_point *p = point;

	return drb_flow_bytes(&p->fabric.tree, p->flows);
}

static struct drb_flow_setup flow_setup(const struct flow_point *p)
{
	return (struct drb_flow_setup){.tree = p->fabric.tree,
				       .scheme = p->fabric.scheme,
				       .choices = sim_choices_of(&p->fabric),
				       .threshold = p->threshold,
				       .flows = p->flows,
				       .seed = p->seed};
}

static void fill_row(const struct flow_point *p, const struct drb_flow_result *result,
		     struct flow_row *row)
{
	// The estimate holds only for the paper's scheme and fat-tree.
	const bool has_threshold = drb_scheme_has_threshold(p->fabric.scheme);
	const bool estimated = has_threshold && p->paths == BY_SCHEME &&
			       p->fabric.tree.uplinks == p->fabric.tree.arity;

	row->s = drb_flow_summarize(result, p->runs);
	row->scheme = drb_scheme_name(p->fabric.scheme);
	row->threshold = has_threshold ? p->threshold : NAN;
	const struct sim_sample runs = sim_sample_of(p->runs, row->s.max_load, row->s.max_load_sd);
	row->half = sim_sample_half_width(&runs);
	row->estimate =
		estimated ? drb_estimate_flow(p->flows, p->fabric.tree.hosts, p->threshold) : NAN;
	row->error = fabs(row->s.max_load - row->estimate) / row->estimate;
}

static int assign(const struct flow_point *p, uint32_t run, struct drb_flow_work *work,
		  struct drb_flow_result *result)
{
	const struct drb_flow_setup setup = flow_setup(p);

	if (p->paths == OPTIMAL)
		return drb_flow_optimal(&setup, work, result);
	if (p->paths == BY_PATH)
		return drb_flow_by_path(&setup, run, work, result);
	*result = drb_flow_assign(&setup, run, work);
	return 0;
}

static int draw(const struct flow_point *p, uint32_t run, struct drb_flow_work *work)
{
	const struct drb_flow_setup setup = flow_setup(p);

	if (p->worst)
		return drb_flow_draw_worst(&setup, run, work);
	drb_flow_draw(&setup, run, work);
	return 0;
}

static int run_alike(const void *const point[], struct sim_outcome *const out[], uint32_t count)
{
	const struct flow_point *first = point[0];
	struct drb_flow_work *work = drb_flow_work_new(&first->fabric.tree, first->flows);
	struct drb_flow_result *result = calloc((size_t)count * first->runs, sizeof(*result));
	int rc = work && result ? 0 : -ENOMEM;

	for (uint32_t run = 0; rc == 0 && run < first->runs; run++) {
		rc = draw(first, run, work);
		for (uint32_t i = 0; rc == 0 && i < count; i++)
			rc = assign(point[i], run, work, &result[(size_t)i * first->runs + run]);
	}
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		fill_row(point[i], result + (size_t)i * first->runs, out[i]->row);
	drb_flow_work_free(work);
	free(result);
	return rc;
}

static int flow_point_run(const void *point, struct sim_outcome *out)
{
	return run_alike(&point, &out, 1);
}

// True if points have equal flows, which are then drawn once.
static bool alike(const void *a, const void *b)
{
	const struct flow_point *p = a, *q = b;

	return p->fabric.layers == q->fabric.layers && p->fabric.arity == q->fabric.arity &&
	       p->fabric.tree.uplinks == q->fabric.tree.uplinks && p->flows == q->flows &&
	       p->runs == q->runs && p->worst == q->worst && p->seed == q->seed;
}

const struct sim_model sim_flow_model = {
	.name = "flow",
	.help = "the busiest link under permutation flows",
	.sets = sets,
	.size = sizeof(struct flow_point),
	.columns = columns,
	.row_size = sizeof(struct flow_row),
	.check = flow_point_check,
	.takes = takes,
	.bytes = bytes,
	.run = flow_point_run,
	.alike = alike,
	.run_alike = run_alike,
	.layers = sim_layers_of,
};
