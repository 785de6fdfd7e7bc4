// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/journal.h"
#include "sim/paper/points.h"
#include "sim/runs/jobs.h"
#include "sim/runs/ranks.h"

struct missing {
	uint32_t point; // index
	double cost;    // estimated
};

struct runs {
	struct paper *paper;
	struct missing *missing; // the most costly first, so that no thread ends long after others
	double *cost;            // of each
	struct paper_journal journal;
};

static int run_flow(struct paper_point *point)
{
	struct drb_flow_work *work = drb_flow_work_new(&point->flow.tree, point->flow.flows);
	struct drb_flow_result *result = calloc(point->runs, sizeof(*result));

	if (work && result) {
		for (uint32_t i = 0; i < point->runs; i++)
			result[i] = drb_flow_run(&point->flow, i, work);
		struct drb_flow_summary s = drb_flow_summarize(result, point->runs);
		paper_set_flow_summary(point, &s);
	}
	drb_flow_work_free(work);
	free(result);
	return work && result ? 0 : -ENOMEM;
}

static int run_packets(struct paper_point *point)
{
	struct drb_packet_sim *sim;
	struct drb_packet_result r;
	int rc = drb_packet_new(&sim, &point->packet);

	if (rc < 0)
		return rc;
	drb_packet_run(sim, &r);
	drb_packet_free(sim);
	paper_set_packet_result(point, &r);
	return 0;
}

static int run_chain(struct paper_point *point)
{
	struct drb_ctmc_result r;
	int rc = drb_ctmc_run(&point->ctmc, &r);

	if (rc == 0)
		paper_set_ctmc_result(point, &r);
	return rc;
}

static int run_layers(struct paper_point *point)
{
	struct drb_ctmc_layers_result r;
	int rc = drb_ctmc_layers_run(&point->layers, &r);

	if (rc == 0)
		paper_set_layers_result(point, &r);
	return rc;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int paper_run_point(struct paper_point *point)
{
	switch (point->kind) {
	case PAPER_FLOW:
		return run_flow(point);
	case PAPER_PACKET:
		return run_packets(point);
	case PAPER_CTMC:
		return run_chain(point);
	case PAPER_CTMC_LAYERS:
		return run_layers(point);
	}
	return -EINVAL;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct runs *runs = context;
	struct paper_point *point = &runs->paper->point[runs->missing[i].point];
	double start = cpu_seconds();
	int rc = paper_run_point(point);

	(void)thread;
	if (rc < 0)
		drb_die("a run failed: %s", strerror(-rc));
	point->cpu = cpu_seconds() - start;
	point->done = true;
	paper_journal_write(&runs->journal, point);
}

static int by_falling_cost(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->point > y->point) - (x->point < y->point); // the same in every rank
}

static bool is_at_wanted_load(const struct paper *p, const struct paper_point *point)
{
	for (size_t i = 0; i < p->loads.count; i++) {
		if (fabs(p->loads.value[i] - point->packet.rho) < 1e-9)
			return true;
	}
	return p->loads.count == 0 || point->kind != PAPER_PACKET;
}

static bool is_wanted(const struct paper *p, const struct paper_point *point)
{
	char part[PAPER_COST_NAME];

	paper_part_of(point, part);
	return !point->done && (!p->part || strcmp(p->part, part) == 0) &&
	       is_at_wanted_load(p, point);
}

static uint32_t find_missing(struct runs *runs)
{
	const struct paper *p = runs->paper;
	uint32_t missing = 0;

	for (uint32_t i = 0; i < p->points; i++) {
		if (is_wanted(p, &p->point[i]))
			runs->missing[missing++] =
				(struct missing){i, paper_estimate(&p->point[i])};
	}
	qsort(runs->missing, missing, sizeof(*runs->missing), by_falling_cost);
	for (uint32_t i = 0; i < missing; i++)
		runs->cost[i] = runs->missing[i].cost;
	return missing;
}

// Memory for each run: what the limit leaves when as many as threads run at once.
static uint32_t share_memory(struct paper *p)
{
	uint64_t most = 1;
	const struct drb_tree *largest = NULL;

	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		uint64_t bytes = point->kind == PAPER_PACKET ? drb_packet_bytes(&point->packet)
				 : point->kind == PAPER_FLOW
					 ? drb_flow_bytes(&point->flow.tree, point->flow.flows)
					 : 0;
		if (bytes > most) {
			most = bytes;
			largest = point->kind == PAPER_PACKET ? &point->packet.tree
							      : &point->flow.tree;
		}
	}
	uint32_t threads = sim_threads_that_fit(&p->common, most, largest);
	for (uint32_t i = 0; i < p->points; i++)
		p->point[i].packet.memory = p->common.memory / threads;
	return threads;
}

uint32_t paper_left(const struct paper *p)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < p->points; i++)
		left += !p->point[i].done;
	return left;
}

void paper_run(struct paper *p)
{
	struct runs runs = {.paper = p};
	uint32_t missing, left, threads = share_memory(p);

	paper_journal_read(p);
	sim_ranks_wait(); // all have read it before one writes
	runs.missing = calloc(p->points, sizeof(*runs.missing));
	runs.cost = calloc(p->points, sizeof(*runs.cost));
	if (!runs.missing || !runs.cost)
		drb_die("not enough memory");
	paper_journal_open(&runs.journal, p);
	missing = find_missing(&runs);
	left = paper_left(p);
	if (left < p->points && sim_rank() == 0)
		drb_info("%u of %u points are done already", p->points - left, p->points);
	// The points are the same in all ranks but for the results.
	sim_jobs_run(&(struct sim_jobs){.count = missing,
					.job = job,
					.context = &runs,
					.threads = threads,
					.cost = runs.cost,
					.what = "simulating",
					.results = p->point,
					.result_bytes = p->points * sizeof(*p->point)});
	paper_journal_close(&runs.journal);
	free(runs.missing);
	free(runs.cost);
}
