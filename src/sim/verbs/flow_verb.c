// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/log.h"

#include "sim/models/flow.h"
#include "sim/runs/jobs.h"
#include "sim/runs/options.h"
#include "sim/runs/rows.h"
#include "sim/runs/sample.h"

struct flow_verb {
	struct sim_common common;
	struct sim_fabric fabric;
	struct drb_reals flows; // c
	uint32_t runs;
	struct drb_flow_result *result; // [scheme][c][run]
	struct drb_flow_work **work;    // [thread]
};

static void parse_flows(const struct drb_option *o, const char *text, void *list)
{
	const struct drb_reals *flows = list;

	sim_parse_reals(o, text, list);
	for (size_t i = 0; i < flows->count; i++) {
		if (flows->value[i] != floor(flows->value[i]))
			drb_die("--flows %s: %g is not a whole number", text, flows->value[i]);
	}
}

#define AT(field) offsetof(struct flow_verb, field)

static const struct drb_option options[] = {
	{"--flows", "RANGE", "Flows per host, c (default 1-20)", .kind = DRB_OPTION_OTHER,
	 AT(flows), 1, 1e6, parse_flows},
	{"--runs", "COUNT", "Repetitions (default 200)", .kind = DRB_OPTION_U32, AT(runs), 1, 1e6},
	{0},
};

static struct drb_flow_setup setup_of(const struct flow_verb *v, uint32_t scheme, size_t c)
{
	uint32_t flows = (uint32_t)v->flows.value[c];
	const enum drb_scheme id = v->fabric.scheme[scheme];
	const double threshold = sim_threshold(&v->fabric, id);

	return (struct drb_flow_setup){
		.tree = v->fabric.tree,
		.scheme = id,
		.choices = sim_choices(&v->fabric, id),
		.threshold =
			isnan(threshold)
				? drb_threshold_flow(drb_tree_uplink_load(&v->fabric.tree, flows),
						     v->fabric.tree.hosts)
				: threshold,
		.flows = flows,
		.seed = v->common.seed,
	};
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct flow_verb *v = context;
	uint64_t point = i / v->runs;
	struct drb_flow_setup setup =
		setup_of(v, (uint32_t)(point / v->flows.count), point % v->flows.count);

	v->result[i] = drb_flow_run(&setup, (uint32_t)(i % v->runs), v->work[thread]);
}

static void simulate(struct flow_verb *v)
{
	uint64_t points = (uint64_t)v->fabric.schemes * v->flows.count;
	uint32_t most = 0;

	for (size_t i = 0; i < v->flows.count; i++)
		most = v->flows.value[i] > most ? (uint32_t)v->flows.value[i] : most;
	uint32_t threads = sim_threads_that_fit(&v->common, drb_flow_bytes(&v->fabric.tree, most),
						&v->fabric.tree);
	v->result = calloc(points * v->runs, sizeof(*v->result));
	v->work = calloc(threads, sizeof(struct drb_flow_work *));
	for (uint32_t i = 0; v->work && i < threads; i++) {
		v->work[i] = drb_flow_work_new(&v->fabric.tree, most);
		if (!v->work[i])
			threads = i;
	}
	if (!v->result || threads == 0)
		drb_die("not enough memory for this many runs");
	sim_jobs_run(&(struct sim_jobs){.count = points * v->runs,
					.job = job,
					.context = v,
					.threads = threads,
					.what = "simulating flows",
					.results = v->result,
					.result_bytes = points * v->runs * sizeof(*v->result)});
	for (uint32_t i = 0; i < threads; i++)
		drb_flow_work_free(v->work[i]);
	free(v->work);
}

static void put_row(struct drb_table *table, const struct drb_flow_setup *setup,
		    const struct drb_flow_summary *s, uint32_t runs)
{
	// The estimate is that of the paper's scheme and fat-tree.
	bool estimated =
		drb_scheme_has_threshold(setup->scheme) && setup->tree.uplinks == setup->tree.arity;
	double estimate = drb_estimate_flow(setup->flows, setup->tree.hosts, setup->threshold);

	drb_table_text(table, "scheme", NULL, drb_scheme_name(setup->scheme));
	drb_table_count(table, "flows", "c", setup->flows);
	sim_put_threshold(table, setup->scheme, setup->threshold);
	drb_table_real(table, "max_load", "max load", 2, s->max_load);
	drb_table_real(table, "max_load_sd", "sd", 2, s->max_load_sd);
	const struct sim_sample runs_of = sim_sample_of(runs, s->max_load, s->max_load_sd);
	drb_table_real(table, "max_load_half", "+-", 2, sim_sample_half_width(&runs_of));
	drb_table_real(table, "max_up", "up", 2, s->max_up);
	drb_table_real(table, "max_down", "down", 2, s->max_down);
	drb_table_real(table, "redirected", NULL, 4, s->redirected);
	drb_table_real(table, "estimate", NULL, 2, estimated ? estimate : NAN);
	drb_table_real(table, "relative_error", "error", 4,
		       estimated ? fabs(s->max_load - estimate) / estimate : NAN);
	drb_table_count(table, "runs", NULL, runs);
	sim_put_tree(table, &setup->tree);
	drb_table_row_end(table);
}

int sim_flow(int argc, char **argv)
{
	struct flow_verb v = {.common = sim_common_default(),
			      .fabric = sim_fabric_default(),
			      .flows = sim_reals("--flows", "1-20", 1, 20),
			      .runs = 200};
	const struct drb_options sets[] = {SIM_FABRIC_SET(&v.fabric),
					   {.option = options, &v},
					   SIM_COMMON_SETS(&v.common),
					   {0}};

	drb_options_parse(sets,
			  "Assigns c flows of every host to uplinks and reports the busiest link.",
			  argc, argv);
	// Flows have no slots and follow nothing: schemes that shift by time are about packets.
	sim_schemes_of_flows(&v.fabric, "see drbsim packet");
	simulate(&v);
	struct drb_table *table = drb_table_new(stdout, v.common.format);
	for (uint32_t s = 0; s < v.fabric.schemes; s++) {
		for (size_t c = 0; c < v.flows.count; c++) {
			struct drb_flow_setup setup = setup_of(&v, s, c);
			struct drb_flow_summary summary = drb_flow_summarize(
				v.result + (s * v.flows.count + c) * v.runs, v.runs);
			put_row(table, &setup, &summary, v.runs);
		}
	}
	drb_table_end(table);
	free(v.result);
	free(v.flows.value);
	return DRB_EXIT_OK;
}
