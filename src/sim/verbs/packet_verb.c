// SPDX-License-Identifier: BSD-3-Clause
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "common/traffic/traffic_file.h"
#include "common/traffic/traffic_option.h"

#include "sim/models/links.h"
#include "sim/runs/jobs.h"
#include "sim/runs/timing_options.h"
#include "sim/runs/options.h"
#include "sim/runs/packet_mean.h"

struct packet_verb {
	struct sim_common common;
	struct sim_fabric fabric;
	struct drb_reals rho;
	struct drb_traffic_kind traffic;
	uint32_t slots, stats, runs;
	struct sim_timing timing;
	bool detail, list_slow, list_links;
	uint64_t memory;                  // of one run
	struct drb_packet_result *result; // [scheme][rho][run]
	struct drb_link_figures *link;    // [scheme][rho][link]: of --links
	uint64_t links;
};

static void parse_traffic(const struct drb_option *o, const char *text, void *kind)
{
	(void)o;
	drb_traffic_option(text, kind);
}

#define AT(field) offsetof(struct packet_verb, field)

static const struct drb_option options[] = {
	{"--load", "RANGE", "Probability that a host sends in a slot (default 0.6:0.99:0.03)",
	 .kind = DRB_OPTION_OTHER, AT(rho), 0, 1, sim_parse_shares},
	{"--traffic", "NAME", "Who sends to whom (default permutation); see below",
	 .kind = DRB_OPTION_OTHER, AT(traffic), .parse = parse_traffic},
	{"--list-slow", NULL, "Only print which links --slow chooses", .kind = DRB_OPTION_FLAG,
	 AT(list_slow)},
	{"--detail", NULL, "Also print percentiles of latency, reordering and use of links",
	 .kind = DRB_OPTION_FLAG, AT(detail)},
	{"--links", NULL, "Print the result of each link in a run instead, longest queues first",
	 .kind = DRB_OPTION_FLAG, AT(list_links)},
	{"--runs", "COUNT",
	 "Repetitions with consecutive seeds (default 1): figures are means; +- is half of the "
	 "95 % interval of latency and tail",
	 .kind = DRB_OPTION_U32, AT(runs), 1, 10000},
	{"--slots", "COUNT", "Length of a run in slots (default 2000)", .kind = DRB_OPTION_U32,
	 AT(slots), 1, 1e6},
	{"--stats", "COUNT", "Measure the last slots of a run (default 500)",
	 .kind = DRB_OPTION_U32, AT(stats), 1, 1e6},
	{0},
};

static struct drb_packet_setup setup_of(const struct packet_verb *v, uint64_t i)
{
	const enum drb_scheme scheme = v->fabric.scheme[i / v->rho.count];
	double rho = v->rho.value[i % v->rho.count];
	double uplinks = sim_uplink_load(&v->fabric, scheme, rho);
	const double threshold = sim_threshold(&v->fabric, scheme);

	return (struct drb_packet_setup){
		.tree = v->fabric.tree,
		.scheme = scheme,
		.choices = sim_choices(&v->fabric, scheme),
		.threshold = isnan(threshold) ? drb_threshold_packet(uplinks) : threshold,
		.traffic = v->traffic,
		.rho = rho,
		.slots = v->slots,
		.stats = v->stats,
		.seed = v->common.seed,
		.memory = v->memory,
		.fail = v->timing.fail,
		.slow = v->timing.slow,
		.delay = v->timing.delay,
		.detail = v->detail || v->list_links,
	};
}

static void warn_out_of_memory(const struct drb_packet_setup *s, const struct drb_packet_result *r)
{
	if (r->out_of_memory)
		drb_warn("%s at load %g ran out of memory: its figures are those until then; raise "
			 "--memory or take fewer --slots",
			 drb_scheme_name(s->scheme), s->rho);
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct packet_verb *v = context;
	struct drb_packet_setup setup = setup_of(v, i / v->runs);
	struct drb_packet_result links_only = {0};
	struct drb_packet_result *result = v->list_links ? &links_only : &v->result[i];
	struct drb_packet_sim *sim;

	(void)thread;
	setup.seed += i % v->runs;
	int rc = drb_packet_new(&sim, &setup);
	if (rc < 0)
		drb_die("cannot simulate F(%u,%u): %s", setup.tree.layers, setup.tree.arity,
			strerror(-rc));
	drb_packet_run(sim, result);
	warn_out_of_memory(&setup, &links_only);
	for (uint64_t k = 0; k < v->links; k++)
		v->link[i * v->links + k] = drb_packet_link(sim, k);
	drb_packet_free(sim);
}

// Everything that can be wrong with the input, before the first run.
static uint32_t check(struct packet_verb *v)
{
	char text[DRB_TRAFFIC_NAME_MAX];

	if (v->list_links && v->runs > 1)
		drb_die("--links: of one run: leave out --runs");
	if (v->stats > v->slots)
		drb_die("--stats %u: more than the %u slots of the run", v->stats, v->slots);
	if (drb_traffic_load(&v->traffic, v->fabric.tree.hosts) < 0)
		exit(DRB_EXIT_USAGE);
	drb_traffic_format(v->traffic, text);
	if (drb_traffic_fits(v->traffic, v->fabric.tree.hosts) < 0)
		drb_die("--traffic %s: F(%u,%u) has %u hosts only", text, v->fabric.layers,
			v->fabric.arity, v->fabric.tree.hosts);
	sim_timing_fits(&v->timing, &v->fabric.tree);
	struct drb_packet_setup setup = setup_of(v, 0);
	uint32_t threads =
		sim_threads_that_fit(&v->common, drb_packet_bytes(&setup), &v->fabric.tree);
	v->memory = v->common.memory / threads;
	return threads;
}

// The lower ends of the slow links, and how many slots a packet takes.
static void list_slow(const struct packet_verb *v)
{
	const struct drb_tree *t = &v->fabric.tree;
	struct drb_table *table = drb_table_new(stdout, v->common.format);
	struct drb_slow_links links = {{0}};
	int rc = drb_slow_make(&links, t, v->timing.slow, v->common.seed);

	if (rc < 0)
		drb_die("not enough memory");
	for (uint64_t i = 0; v->timing.slow.links > 0 && i < drb_links_between(t); i++) {
		struct drb_end lower = drb_link_numbered(t, i);
		uint32_t slots = drb_slow_pace(&links, t, lower)->slots;
		char name[DRB_END_NAME_MAX];
		if (slots == 1)
			continue;
		drb_end_name(name, &lower);
		drb_table_text(table, "link", NULL, name);
		drb_table_count(table, "slots", NULL, slots);
		drb_table_row_end(table);
	}
	drb_table_end(table);
	drb_slow_free(&links);
}

static void print(const struct packet_verb *v, uint64_t points)
{
	const bool fails = v->timing.fail.links || v->timing.fail.switches;
	struct drb_table *table = drb_table_new(stdout, v->common.format);

	for (uint64_t i = 0; i < points; i++) {
		struct drb_packet_setup setup = setup_of(v, i);
		const struct sim_packet_mean mean =
			sim_packet_mean_of(v->result + i * v->runs, v->runs);
		sim_packet_row(table, &setup, &mean.result);
		if (fails)
			drb_table_real(table, "lost", NULL, 4, mean.result.lost);
		if (v->runs > 1) {
			drb_table_count(table, "runs", NULL, v->runs);
			drb_table_real(table, "latency_half", "latency +-", 2,
				       sim_sample_half_width(&mean.latency));
			drb_table_real(table, "tail_half", "tail +-", 1,
				       sim_sample_half_width(&mean.tail));
		}
		drb_table_row_end(table);
		warn_out_of_memory(&setup, &mean.result);
	}
	drb_table_end(table);
}

static int longest_first(const void *a, const void *b)
{
	const struct drb_link_figures *x = a, *y = b;

	return (x->queue_mean < y->queue_mean) - (x->queue_mean > y->queue_mean);
}

static void print_links(const struct packet_verb *v, uint64_t points)
{
	struct drb_table *table = drb_table_new(stdout, v->common.format);

	for (uint64_t i = 0; i < points; i++) {
		struct drb_packet_setup setup = setup_of(v, i);
		struct drb_link_figures *link = v->link + i * v->links;
		qsort(link, v->links, sizeof(*link), longest_first);
		for (uint64_t k = 0; k < v->links; k++) {
			drb_table_text(table, "scheme", NULL, drb_scheme_name(setup.scheme));
			drb_table_real(table, "rho", "load", 3, setup.rho);
			sim_put_link(table, &setup.tree, &link[k]);
			drb_table_row_end(table);
		}
	}
	drb_table_end(table);
}

static void simulate(struct packet_verb *v, uint32_t threads)
{
	const uint64_t points = (uint64_t)v->fabric.schemes * v->rho.count;
	size_t bytes = points * v->runs * sizeof(*v->result);

	if (v->list_links) {
		v->links = drb_packet_links(&v->fabric.tree);
		bytes = points * v->links * sizeof(*v->link);
	}
	void *results = sim_results_new(1, bytes);
	v->link = v->list_links ? results : NULL;
	v->result = v->list_links ? NULL : results;
	sim_jobs_run(&(struct sim_jobs){.count = points * v->runs,
					.job = job,
					.context = v,
					.threads = threads,
					.what = "simulating packets",
					.results = results,
					.result_bytes = bytes});
	if (v->list_links)
		print_links(v, points);
	else
		print(v, points);
	free(results);
}

int sim_packet(int argc, char **argv)
{
	struct packet_verb v = {.common = sim_common_default(),
				.fabric = sim_fabric_default(),
				.rho = sim_reals("--load", "0.6:0.99:0.03", 0, 1),
				.slots = 2000,
				.stats = 500,
				.runs = 1};

	const struct drb_options sets[] = {SIM_FABRIC_SET(&v.fabric),
					   {.option = options, &v},
					   {.option = sim_timing_options, &v.timing},
					   SIM_COMMON_SETS(&v.common),
					   {0}};
	char doc[2048];

	snprintf(doc, sizeof(doc),
		 "Simulates packets slot by slot.\v"
		 "Schemes:\n%s"
		 "Traffic: permutation (a fresh one every slot), fixed (one for the run), "
		 "random, mixed (half of the hosts fixed), stride:K, tornado, all-to-all, "
		 "transpose, reversal, hotspot:K, incast:K, racks:F (a share F of the racks "
		 "fixed), turns:C (C permutations in turn), epoch:S (a new one every S "
		 "slots), jobs:K (K groups of hosts, each with its own), oneway:F:A (half of the "
		 "pods send, the others answer a share A), sink:F (a pod only receives), silent:F "
		 "(a share F of the racks is silent), unequal:F (all but a share F send little), "
		 "file:PATH.",
		 drb_schemes_help());
	drb_options_parse(sets, doc, argc, argv);
	uint32_t threads = check(&v);
	if (v.list_slow)
		list_slow(&v);
	else
		simulate(&v, threads);
	free(v.rho.value);
	drb_traffic_file_free(v.traffic.file);
	return DRB_EXIT_OK;
}
