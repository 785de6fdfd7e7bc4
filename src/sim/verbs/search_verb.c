// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cli/file.h"
#include "common/cli/log.h"

#include "sim/runs/jobs.h"
#include "sim/runs/options.h"
#include "sim/runs/ranks.h"
#include "sim/search/cases.h"
#include "sim/search/matrix.h"

// What came of a case, and of the climb that it ends.
struct found {
	struct search_case c;
	struct search_result result;
};

struct search_verb {
	struct sim_common common;
	struct sim_fabric fabric;
	struct drb_reals rho;
	const char *dir;
	uint32_t count, climbs, steps, slots;
	struct search_setup setup;
	struct search_cases cases;
	struct found *found; // [count], and behind them [climbs]
};

#define AT(field) offsetof(struct search_verb, field)

static const struct drb_option options[] = {
	{"--out", "DIR", "Directory to write to; made if missing (required)",
	 .kind = DRB_OPTION_TEXT, AT(dir), .letter = 'o'},
	{"--load", "RANGE", "Loads that cases have (default 0.7,0.9,0.95)",
	 .kind = DRB_OPTION_OTHER, AT(rho), 0, 1, sim_parse_shares},
	{"--cases", "COUNT", "Random cases (default 200)", .kind = DRB_OPTION_U32, AT(count), 1,
	 1e8},
	{"--climbs", "COUNT", "Climbs, each from one of the worst of them (default 10)",
	 .kind = DRB_OPTION_U32, AT(climbs), 0, 1e6},
	{"--steps", "COUNT", "Cases tried in a climb (default 20)", .kind = DRB_OPTION_U32,
	 AT(steps), 1, 1e6},
	{"--slots", "COUNT",
	 "Length of a run in slots, of which the later half is measured (default 4000)",
	 .kind = DRB_OPTION_U32, AT(slots), 100, 1e5},
	{0},
};

static struct search_result try_case(struct search_verb *v, const struct search_case *c)
{
	struct search_result result;

	if (search_cases_find(&v->cases, c, &result))
		return result;
	int rc = search_try(&v->setup, c, &result);
	if (rc < 0)
		drb_die("a run failed: %s", strerror(-rc));
	search_cases_add(&v->cases, c, &result);
	return result;
}

static void random_case(void *context, uint64_t i, uint32_t thread)
{
	struct search_verb *v = context;
	struct drb_rng rng = drb_rng_seed(v->common.seed, i);
	struct found *found = &v->found[i];

	(void)thread;
	found->c = search_case_any(&rng, v->setup.loads);
	found->result = try_case(v, &found->c);
}

// From the i-th worst case on, one change at a time; a change that makes nothing better for the scheme is kept.
static void climb(void *context, uint64_t i, uint32_t thread)
{
	struct search_verb *v = context;
	struct drb_rng rng = drb_rng_seed(v->common.seed, v->count + i);
	struct found *top = &v->found[v->count + i];

	(void)thread;
	*top = v->found[i];
	for (uint32_t step = 0; step < v->steps && !top->result.grows_alone; step++) {
		struct found next = {.c = search_case_like(&top->c, &rng, v->setup.loads)};
		next.result = try_case(v, &next.c);
		if (search_badness(&next.result) >= search_badness(&top->result))
			*top = next;
	}
}

static int worst_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	double p = search_badness(&x->result), q = search_badness(&y->result);

	if (x->result.grows_alone != y->result.grows_alone)
		return x->result.grows_alone ? -1 : 1;
	return (p < q) - (p > q);
}

// The traffic of a case under which queues grow, as a file that drbsim packet reads.
static void write_witness(const struct search_verb *v, const struct found *found, uint32_t number)
{
	const struct search_setup *s = &v->setup;
	char path[4096];

	snprintf(path, sizeof(path), "%s/witness-%u.csv", v->dir, number);
	FILE *f = drb_file_write(path);
	fprintf(f,
		"# drbsim packet -l %u -d %u --scheme %s,%s --load %g --slots %u --stats %u "
		"--traffic "
		"file:%s\n",
		s->packet.tree.layers, s->packet.tree.arity, drb_scheme_text(s->scheme),
		drb_scheme_text(s->against), s->load[found->c.load],
		s->packet.slots * SEARCH_LONGER, s->packet.stats * SEARCH_LONGER, path);
	int rc =
		search_write_matrix(f, &s->packet.tree, &found->c, s->packet.slots * SEARCH_LONGER);
	if (rc < 0 || drb_file_written(f, path) != DRB_EXIT_OK)
		drb_die("%s: not written", path);
}

static void print(const struct search_verb *v, uint32_t count)
{
	struct drb_table *table = drb_table_new(stdout, v->common.format);

	for (uint32_t i = 0; i < count; i++) {
		const struct found *found = &v->found[i];
		const struct search_result *r = &found->result;
		char text[SEARCH_CASE_TEXT];
		search_case_format(&found->c, text);
		drb_table_real(table, "rho", "load", 2, v->setup.load[found->c.load]);
		drb_table_text(table, "case", NULL, text);
		drb_table_real(table, "latency", NULL, 2, r->latency);
		drb_table_real(table, "tail", NULL, 1, r->tail);
		drb_table_real(table, "against_latency", "against", 2, r->against_latency);
		drb_table_real(table, "against_tail", "its tail", 1, r->against_tail);
		drb_table_real(table, "ratio", NULL, 3, search_badness(r));
		drb_table_text(table, "grows_alone", "grows alone", r->grows_alone ? "yes" : "no");
		drb_table_row_end(table);
	}
	drb_table_end(table);
}

static void check(struct search_verb *v)
{
	if (!v->dir)
		drb_die("--out DIR is missing: where to write");
	if (sim_ranks() > 1)
		drb_die("search runs in one process: leave out mpirun, take --threads");
	if (v->fabric.schemes != 2)
		drb_die("--scheme: must be two, the one to be searched and the one that it is held "
			"against, such as walk,micro");
	if (v->rho.count > UINT8_MAX)
		drb_die("--load: at most %d loads", UINT8_MAX);
	if (mkdir(v->dir, 0777) < 0 && errno != EEXIST)
		drb_die("%s: cannot make this directory: %s", v->dir, strerror(errno));
	v->climbs = v->climbs < v->count ? v->climbs : v->count;
	v->setup = (struct search_setup){
		.packet = {.tree = v->fabric.tree,
			   .choices = v->fabric.choices,
			   .slots = v->slots,
			   .stats = v->slots / 2,
			   .seed = v->common.seed},
		.scheme = v->fabric.scheme[0],
		.against = v->fabric.scheme[1],
		.load = v->rho.value,
		.loads = (uint32_t)v->rho.count,
	};
	uint64_t bytes = 2 * drb_packet_bytes(&v->setup.packet);
	v->common.threads = sim_threads_that_fit(&v->common, bytes, &v->fabric.tree);
	v->setup.packet.memory = v->common.memory / v->common.threads / 2;
}

// The cases, then the climbs from the worst of them, which are put in front.
static uint32_t search(struct search_verb *v)
{
	const size_t size = sizeof(*v->found);
	struct sim_jobs jobs = {.count = v->count,
				.job = random_case,
				.context = v,
				.threads = v->common.threads,
				.what = "trying cases",
				.results = v->found,
				.result_bytes = v->count * size};

	sim_jobs_run(&jobs);
	qsort(v->found, v->count, size, worst_first);
	jobs.job = climb;
	jobs.count = v->climbs;
	jobs.what = "climbing";
	jobs.results = v->found + v->count;
	jobs.result_bytes = v->climbs * size;
	if (v->climbs > 0)
		sim_jobs_run(&jobs);
	qsort(v->found, v->count + v->climbs, size, worst_first);
	uint32_t alone = 0;
	for (; alone < v->count + v->climbs && v->found[alone].result.grows_alone; alone++)
		write_witness(v, &v->found[alone], alone + 1);
	return alone;
}

int sim_search(int argc, char **argv)
{
	struct search_verb v = {.common = sim_common_default(),
				.fabric = sim_fabric_default(),
				.rho = sim_reals("--load", "0.7,0.9,0.95", 0, 1),
				.count = 200,
				.climbs = 10,
				.steps = 20,
				.slots = 4000};
	const struct drb_options sets[] = {SIM_FABRIC_SET(&v.fabric),
					   {.option = options, &v},
					   SIM_COMMON_SETS(&v.common),
					   {0}};

	drb_options_parse(
		sets,
		"Searches for traffic under which queues grow with one scheme and not "
		"with another: random admissible rates, and climbs from the worst. Called again "
		"with the same DIR, it continues where it was interrupted.\v"
		"Prints the worst cases. A case in which the queues of the first scheme alone "
		"grow, in longer runs with three seeds, is written to DIR/witness-N.csv, and the "
		"exit status is 1.",
		argc, argv);
	check(&v);
	search_cases_open(&v.cases, v.dir, &v.setup);
	v.found = sim_results_new(v.count + v.climbs, sizeof(*v.found));
	uint32_t alone = search(&v), all = v.count + v.climbs;
	search_cases_close(&v.cases);
	print(&v, alone + 10 < all ? alone + 10 : all);
	free(v.found);
	free(v.rho.value);
	return alone ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}
