// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/log.h"

#include "sim/paper/cost.h"
#include "sim/paper/journal.h"
#include "sim/paper/together.h"
#include "sim/runs/jobs.h"
#include "sim/runs/ranks.h"

// Missing points that share their draws: a job.
struct together {
	uint32_t first, count; // of missing[]
	double cost;           // estimated
};

struct runs {
	struct paper *paper;
	uint32_t *missing, count; // points, those that share draws one behind the other
	struct together
		*together; // the most costly first, so that no thread ends long after others
	double *cost;      // of each
	struct paper_journal journal;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct runs *runs = context;
	const struct together *together = &runs->together[i];
	struct paper_point *point[PAPER_TOGETHER];
	double start = cpu_seconds();

	(void)thread;
	for (uint32_t k = 0; k < together->count; k++)
		point[k] = &runs->paper->point[runs->missing[together->first + k]];
	int rc = paper_run_points(point, together->count);
	if (rc < 0)
		drb_die("a run failed: %s", strerror(-rc));
	for (uint32_t k = 0; k < together->count; k++) {
		point[k]->cpu = (cpu_seconds() - start) / together->count;
		point[k]->done = true;
		paper_journal_write(&runs->journal, point[k]);
	}
}

static int by_falling_cost(const void *a, const void *b)
{
	const struct together *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first); // the same in every rank
}

static int by_draws(const void *a, const void *b, void *points)
{
	const struct paper_point *point = points;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = paper_compare_draws(&point[x], &point[y]);

	return order ? order : (x > y) - (x < y);
}

static bool is_wanted(const struct paper *p, const struct paper_point *point)
{
	char part[PAPER_COST_NAME];

	paper_part_of(point, part);
	return !point->done && (!p->part || strcmp(p->part, part) == 0);
}

static void find_missing(struct runs *runs)
{
	const struct paper *p = runs->paper;

	for (uint32_t i = 0; i < p->points; i++) {
		if (is_wanted(p, &p->point[i]))
			runs->missing[runs->count++] = i;
	}
	qsort_r(runs->missing, runs->count, sizeof(*runs->missing), by_draws, p->point);
}

// Returns how many jobs there are.
static uint32_t join_missing(struct runs *runs, uint32_t most)
{
	const struct paper_point *point = runs->paper->point;
	uint32_t jobs = 0;

	for (uint32_t i = 0; i < runs->count; i++) {
		const struct paper_point *at = &point[runs->missing[i]];
		struct together *last = &runs->together[jobs ? jobs - 1 : 0];
		if (jobs == 0 || last->count == most ||
		    !paper_share_draws(&point[runs->missing[last->first]], at)) {
			last = &runs->together[jobs++];
			*last = (struct together){.first = i};
		}
		last->count++;
		last->cost += paper_estimate(at);
	}
	qsort(runs->together, jobs, sizeof(*runs->together), by_falling_cost);
	for (uint32_t i = 0; i < jobs; i++)
		runs->cost[i] = runs->together[i].cost;
	return jobs;
}

// Memory for each run: what the limit leaves when as many threads as fit run some together.
struct shares {
	uint32_t threads, together;
};

static struct shares share_memory(struct paper *p)
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
	uint64_t fit = p->common.memory / threads / most;
	uint32_t together = fit < PAPER_TOGETHER ? (uint32_t)fit : PAPER_TOGETHER;
	for (uint32_t i = 0; i < p->points; i++)
		p->point[i].packet.memory = p->common.memory / threads / together;
	return (struct shares){threads, together};
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
	struct shares shares = share_memory(p);
	uint32_t jobs, left;

	paper_journal_read(p);
	sim_ranks_wait(); // all have read it before one writes
	runs.missing = calloc(p->points, sizeof(*runs.missing));
	runs.together = calloc(p->points, sizeof(*runs.together));
	runs.cost = calloc(p->points, sizeof(*runs.cost));
	if (!runs.missing || !runs.together || !runs.cost)
		drb_die("not enough memory");
	paper_journal_open(&runs.journal, p);
	find_missing(&runs);
	jobs = join_missing(&runs, shares.together);
	left = paper_left(p);
	if (left < p->points && sim_rank() == 0)
		drb_info("%u of %u points are done already", p->points - left, p->points);
	// The points are the same in all ranks but for the results.
	sim_jobs_run(&(struct sim_jobs){.count = jobs,
					.job = job,
					.context = &runs,
					.threads = shares.threads,
					.cost = runs.cost,
					.what = "simulating",
					.results = p->point,
					.result_bytes = p->points * sizeof(*p->point)});
	paper_journal_close(&runs.journal);
	free(runs.missing);
	free(runs.together);
	free(runs.cost);
}
