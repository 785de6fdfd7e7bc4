// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/paper.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/log.h"

#include "sim/runs/ranks.h"

// The journal: one line per finished point, its key, its values and the CPU seconds it took, in any
// order. A line cut short by an interruption lacks its end mark and is run again.
#define JOURNAL "journal.txt"
#define LINE_MAX_BYTES 2048

struct missing {
	uint32_t point; // index
	double cost;    // estimated
};

struct runs {
	struct paper *paper;
	struct missing *missing; // the most costly first, so that no thread ends long after others
	double *cost;            // of each
	FILE *journal;
	pthread_mutex_t lock;
	bool failed; // to write
};

// All that determines the figures of a point.
static void key_of(const struct paper_point *point, char key[256])
{
	const struct drb_flow_setup *f = &point->flow;
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_ctmc_setup *c = &point->ctmc;
	char traffic[DRB_TRAFFIC_NAME_MAX];

	switch (point->kind) {
	case PAPER_FLOW:
		snprintf(key, 256, "%s flow %u %u %s %.12g %u %u %lu", DRB_VERSION, f->tree.layers,
			 f->tree.arity, drb_scheme_name(f->scheme), f->threshold, f->flows,
			 point->runs, f->seed);
		break;
	case PAPER_PACKET:
		drb_traffic_format(s->traffic, traffic);
		snprintf(key, 256, "%s packet %u %u %s %.12g %s %.12g %u %u %u %u %lu", DRB_VERSION,
			 s->tree.layers, s->tree.arity, drb_scheme_name(s->scheme), s->threshold,
			 traffic, s->rho, s->tau, s->slots, s->stats, s->most_slots, s->seed);
		if (s->give_up)
			snprintf(key + strlen(key), 256 - strlen(key), " gives up");
		if (s->fail.links || s->fail.switches)
			snprintf(key + strlen(key), 256 - strlen(key), " dead %u %u", s->fail.links,
				 s->fail.switches);
		break;
	case PAPER_CTMC:
		snprintf(key, 256, "%s ctmc %u %.12g %.12g %.12g %.12g %lu", DRB_VERSION, c->queues,
			 c->lambda, c->threshold, c->warm_up, c->time, c->seed);
		break;
	}
}

static void read_line(struct paper *p, char *line)
{
	char key[256], *tab = strchr(line, '\t'), *at;
	double value[PAPER_VALUES];

	if (!tab || !strstr(tab, " end\n"))
		return;
	*tab = '\0';
	at = tab + 1;
	for (int i = 0; i < PAPER_VALUES; i++)
		value[i] = strtod(at, &at);
	double cpu = strtod(at, &at);
	for (uint32_t i = 0; i < p->points; i++) {
		key_of(&p->point[i], key);
		if (p->point[i].done || strcmp(key, line) != 0)
			continue;
		memcpy(p->point[i].value, value, sizeof(value));
		p->point[i].cpu = cpu;
		p->point[i].done = true;
	}
}

static void read_journal(struct paper *p, const char *path)
{
	char line[LINE_MAX_BYTES];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		read_line(p, line);
	if (f)
		fclose(f);
}

struct drb_flow_summary paper_flow_summary(const struct paper_point *point)
{
	const double *v = point->value;

	return (struct drb_flow_summary){v[0], v[1], v[2], v[3], v[4]};
}

struct drb_packet_result paper_packet_result(const struct paper_point *point)
{
	struct drb_packet_result r = {0};
	const double *v = point->value;

	r.latency = v[0];
	r.tail = v[1];
	r.redirected = v[2];
	r.throughput = v[3];
	r.growing = v[4] != 0;
	r.undelivered = (uint64_t)v[5];
	r.lost = v[PAPER_VALUES - 1];
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++) {
		r.up_mean[m] = v[4 * m + 2];
		r.up_max[m] = (uint32_t)v[4 * m + 3];
		r.down_mean[m] = v[4 * m + 4];
		r.down_max[m] = (uint32_t)v[4 * m + 5];
	}
	return r;
}

static int run_flow(struct paper_point *point)
{
	struct drb_flow_work *work = drb_flow_work_new(&point->flow.tree, point->flow.flows);
	struct drb_flow_result *result = calloc(point->runs, sizeof(*result));

	if (work && result) {
		for (uint32_t i = 0; i < point->runs; i++)
			result[i] = drb_flow_run(&point->flow, i, work);
		struct drb_flow_summary s = drb_flow_summarize(result, point->runs);
		const double v[] = {s.max_load, s.max_load_sd, s.max_up, s.max_down, s.redirected};
		memcpy(point->value, v, sizeof(v));
	}
	drb_flow_work_free(work);
	free(result);
	return work && result ? 0 : -ENOMEM;
}

static int run_packets(struct paper_point *point)
{
	struct drb_packet_sim *sim;
	struct drb_packet_result r;
	double *v = point->value;
	int rc = drb_packet_new(&sim, &point->packet);

	if (rc < 0)
		return rc;
	drb_packet_run(sim, &r);
	drb_packet_free(sim);
	const double head[] = {r.latency,    r.tail,    r.redirected,
			       r.throughput, r.growing, (double)r.undelivered};
	memcpy(v, head, sizeof(head));
	v[PAPER_VALUES - 1] = r.lost;
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++) {
		v[4 * m + 2] = r.up_mean[m];
		v[4 * m + 3] = r.up_max[m];
		v[4 * m + 4] = r.down_mean[m];
		v[4 * m + 5] = r.down_max[m];
	}
	return 0;
}

static int run_chain(struct paper_point *point)
{
	struct drb_ctmc_result r;
	int rc = drb_ctmc_run(&point->ctmc, &r);
	const double v[] = {r.mean_queue, r.mean_time, r.redirected};

	if (rc == 0)
		memcpy(point->value, v, sizeof(v));
	return rc;
}

static void write_point(struct runs *runs, const struct paper_point *point)
{
	char key[256];

	key_of(point, key);
	pthread_mutex_lock(&runs->lock);
	fprintf(runs->journal, "%s\t", key);
	for (int i = 0; i < PAPER_VALUES; i++)
		fprintf(runs->journal, "%.17g ", point->value[i]);
	if (fprintf(runs->journal, "%.3f  end\n", point->cpu) < 0 || fflush(runs->journal) == EOF)
		runs->failed = true;
	pthread_mutex_unlock(&runs->lock);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void job(void *context, uint64_t i, uint32_t thread)
{
	struct runs *runs = context;
	struct paper_point *point = &runs->paper->point[runs->missing[i].point];
	double start = cpu_seconds();
	int rc = 0;

	(void)thread;
	switch (point->kind) {
	case PAPER_FLOW:
		rc = run_flow(point);
		break;
	case PAPER_PACKET:
		rc = run_packets(point);
		break;
	case PAPER_CTMC:
		rc = run_chain(point);
		break;
	}
	if (rc < 0)
		drb_die("a run failed: %s", strerror(-rc));
	point->cpu = cpu_seconds() - start;
	point->done = true;
	write_point(runs, point);
}

static int by_falling_cost(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	return (x->point > y->point) - (x->point < y->point); // the same in every rank
}

static uint32_t find_missing(struct runs *runs)
{
	const struct paper *p = runs->paper;
	uint32_t missing = 0;

	for (uint32_t i = 0; i < p->points; i++) {
		if (!p->point[i].done)
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

void paper_run(struct paper *p)
{
	struct runs runs = {.paper = p, .lock = PTHREAD_MUTEX_INITIALIZER};
	char path[4096];
	uint32_t missing, threads = share_memory(p);

	snprintf(path, sizeof(path), "%s/%s", p->dir, JOURNAL);
	read_journal(p, path);
	sim_ranks_wait(); // all have read it before one writes
	runs.missing = calloc(p->points, sizeof(*runs.missing));
	runs.cost = calloc(p->points, sizeof(*runs.cost));
	runs.journal = fopen(path, "a");
	if (!runs.missing || !runs.cost || !runs.journal)
		drb_die("%s: cannot write: %s", path, strerror(errno));
	// A line that an interruption cut short must not swallow the next one.
	fputc('\n', runs.journal);
	missing = find_missing(&runs);
	if (missing < p->points && sim_rank() == 0)
		drb_info("%u of %u points are done already", p->points - missing, p->points);
	// The points are the same in all ranks but for the results.
	sim_jobs(missing, runs.cost, threads, "simulating", job, &runs, p->point,
		 p->points * sizeof(*p->point));
	if (fclose(runs.journal) != 0 || runs.failed)
		drb_warn("%s: cannot write: the next call will not find all of it done", path);
	free(runs.missing);
	free(runs.cost);
}
