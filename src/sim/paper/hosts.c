// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/hosts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "common/schemes/load.h"

#include "sim/flows/job.h"
#include "sim/flows/list_run.h"
#include "sim/flows/workload.h"
#include "sim/models/links.h"
#include "sim/paper/points.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define DELAY 3
#define RHO 0.9 // the load that T is of
#define DEAD 0.05
#define FAN_IN 32 // hosts of an incast, its receiver among them
#define LOAD 0.5  // of transfers that begin at random

// The last one is large: what takes the time of many slots is smaller there.
static const struct paper_hosts_fabric {
	uint32_t tree[2];
	uint32_t ranks[2]; // a tree that has as many hosts as a job has ranks
	uint32_t shrink;   // sizes of transfers that begin at random are divided by it
} fabrics[] = {{{3, 4}, {3, 4}, 1}, {{3, 8}, {3, 4}, 1}, {{3, 24}, {3, 2}, 20}};

struct paper_hosts_rule {
	const char *name, *scheme;
	enum drb_sim_source source;
	enum drb_sim_hosts hosts;
};

static const struct paper_hosts_rule rules[] = {
	{"dmodk", "dmodk", DRB_SIM_WINDOW, DRB_HOSTS_FLOW},
	{"ecmp", "ecmp", DRB_SIM_WINDOW, DRB_HOSTS_FLOW},
	{"ars by flowlet", "ars", DRB_SIM_WINDOW, DRB_HOSTS_FLOW},
	{"hosts spray", "ecmp", DRB_SIM_SPRAY, DRB_HOSTS_SPRAY},
	{"hosts reps", "ecmp", DRB_SIM_SPRAY, DRB_HOSTS_REPS},
	{"drb", "drb", DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
	{"micro", "micro", DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
	{"drill", "drill", DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
	{"walk", "walk", DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
	{"ars by packet", "ars:idle_time=0", DRB_SIM_SPRAY, DRB_HOSTS_FLOW},
};

typedef int list_rule(const struct paper_hosts *h, struct drb_list *list);

struct paper_hosts_case {
	const char *name;
	list_rule *list;
	enum drb_job_kind job;
	bool dead;
	uint32_t amount[3]; // of each fabric
	double warm_up,
		end; // shares of the slots: transfers that begin between are measured; 0, 0: all
};

static int add(struct drb_list *list, uint32_t from, uint32_t to, uint32_t size)
{
	const struct drb_listed t = {.source = from,
				     .dest = to,
				     .size = size,
				     .after_sent = DRB_LIST_NONE,
				     .after_arrived = DRB_LIST_NONE};

	return drb_list_add(list, &t);
}

// All hosts in random order.
static uint32_t *shuffled(const struct paper_hosts *h)
{
	const uint32_t hosts = h->transfers.tree.hosts;
	struct drb_rng rng = drb_rng_seed(h->transfers.seed, 7);
	uint32_t *order = malloc(hosts * sizeof(*order));

	if (order)
		drb_rng_permutation(&rng, order, hosts);
	return order;
}

// Each host sends to the next one of a random order.
static int list_permutation(const struct paper_hosts *h, struct drb_list *list)
{
	const uint32_t hosts = h->transfers.tree.hosts;
	uint32_t *order = shuffled(h);
	int rc = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < hosts; i++)
		rc = add(list, order[i], order[(i + 1) % hosts], h->amount);
	free(order);
	return rc;
}

// Each host of the lower half of the pods sends to one of the upper half.
static int list_one_way(const struct paper_hosts *h, struct drb_list *list)
{
	const uint32_t half = h->transfers.tree.hosts / 2;
	uint32_t *order = shuffled(h), from = 0;
	int rc = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < 2 * half; i++) {
		if (order[i] >= half)
			rc = add(list, from++, order[i], h->amount);
	}
	free(order);
	return rc;
}

// All but the first of some hosts send to that at once, in all of the fabric.
static int list_incast(const struct paper_hosts *h, struct drb_list *list)
{
	uint32_t *order = shuffled(h);
	int rc = order ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < h->transfers.tree.hosts; i++) {
		if (i % FAN_IN)
			rc = add(list, order[i], order[i - i % FAN_IN], h->amount);
	}
	free(order);
	return rc;
}

// Jobs on hosts at random, as many as there is room for.
static int list_jobs(const struct paper_hosts *h, struct drb_list *list)
{
	const uint32_t *ranks = h->fabric->ranks;
	struct drb_job_setup setup = {.job = {.kind = h->traffic->job, .data = h->amount}};
	struct drb_list one = {0};
	uint32_t *order = shuffled(h);

	drb_tree_init(&setup.transfers.tree, ranks[0], ranks[1]);
	int rc = order ? drb_job_list(&setup, &one) : -ENOMEM;
	for (uint32_t *host = order; rc == 0 && host < order + h->transfers.tree.hosts;
	     host += setup.transfers.tree.hosts) {
		const uint32_t first = list->count;
		for (uint32_t i = 0; rc == 0 && i < one.count; i++) {
			struct drb_listed t = one.transfer[i];
			t.source = host[t.source];
			t.dest = host[t.dest];
			t.after_sent += t.after_sent == DRB_LIST_NONE ? 0 : first;
			t.after_arrived += t.after_arrived == DRB_LIST_NONE ? 0 : first;
			rc = drb_list_add(list, &t);
		}
	}
	drb_list_free(&one);
	free(order);
	return rc;
}

static int list_web_search(const struct paper_hosts *h, struct drb_list *list)
{
	struct drb_workload_setup setup = {
		.transfers = h->transfers, .load = LOAD, .slots = h->amount};
	struct drb_size_point point[DRB_SIZES_POINTS_MAX];
	char error[DRB_SIZES_ERROR_MAX];
	struct drb_sizes sizes;

	drb_sizes_open("websearch", &sizes, error);
	for (size_t i = 0; i < sizes.points; i++)
		point[i] = (struct drb_size_point){ceil(sizes.point[i].packets / h->fabric->shrink),
						   sizes.point[i].share};
	sizes.point = point;
	setup.sizes = &sizes;
	int rc = drb_workload_list(&setup, list);
	drb_sizes_free(&sizes);
	return rc;
}

static const struct paper_hosts_case cases[] = {
	{"permutation", list_permutation, .amount = {100, 400, 60}},
	{"one-way", list_one_way, .amount = {100, 400, 60}},
	{"permutation, 5 % dead", list_permutation, .dead = true, .amount = {100, 400, 60}},
	{"incast", list_incast, .amount = {10, 20, 20}},
	{"all-reduce-ring", list_jobs, .job = DRB_JOB_RING, .amount = {512, 1024, 32}},
	{"all-reduce-halving", list_jobs, .job = DRB_JOB_HALVING, .amount = {512, 1024, 32}},
	{"web search", list_web_search, .amount = {2000, 4000, 200}, .warm_up = 0.25, .end = 0.75},
};

static void add_point(struct paper *p, const struct paper_hosts *like, uint64_t seed)
{
	struct paper_hosts *h = &paper_add(p, PAPER_HOSTS)->hosts;
	struct drb_transfers_setup *t = &h->transfers;
	char why[DRB_SCHEME_WHY];

	*h = *like;
	*t = (struct drb_transfers_setup){.choices = 2,
					  .threshold = drb_threshold_packet(RHO),
					  .queue = UINT32_MAX,
					  .source = h->rule->source,
					  .hosts = h->rule->hosts,
					  .mark = 20,
					  .timeout = 1000,
					  .timer_each = h->rule->source == DRB_SIM_SPRAY,
					  .ack_hop = 1,
					  .seed = seed};
	drb_tree_init(&t->tree, h->fabric->tree[0], h->fabric->tree[1]);
	for (uint32_t m = 1; m <= t->tree.layers; m++)
		t->delay.link[m] = DELAY;
	if (h->traffic->dead)
		t->fail.links = (uint32_t)lround(DEAD * (double)drb_links_between(&t->tree));
	if (drb_scheme_of_text(h->rule->scheme, &t->scheme, why) < 0)
		drb_die("%s", why);
}

void paper_plan_hosts(struct paper *p)
{
	const size_t first = p->quick ? 0 : 1, last = p->quick ? 0 : 2;

	for (size_t f = first; f <= last; f++) {
		// Of the large one a third is enough: it has many hosts to take means over.
		const uint32_t seeds = f == 2 ? p->own_seeds / 3 ?: 1 : p->own_seeds;
		for (size_t c = 0; c < COUNT(cases); c++) {
			for (size_t r = 0; r < COUNT(rules); r++) {
				const struct paper_hosts like = {.rule = &rules[r],
								 .traffic = &cases[c],
								 .fabric = &fabrics[f],
								 .amount = cases[c].amount[f]};
				for (uint32_t seed = 0; seed < seeds; seed++)
					add_point(p, &like, p->common.seed + seed);
			}
		}
	}
}

const char *paper_hosts_label(const struct paper_hosts *h)
{
	return h->rule->name;
}

const char *paper_hosts_traffic(const struct paper_hosts *h)
{
	return h->traffic->name;
}

double paper_hosts_estimate(const struct paper_hosts *h)
{
	// A host sends all that it may.
	return 10.0 * h->transfers.tree.hosts * h->amount;
}

// What the busiest link of a host carries, but for the time of a packet, or the order of transfers takes.
static int bound_of(const struct paper_hosts *h, const struct drb_list *list, double *bound)
{
	const uint32_t hosts = h->transfers.tree.hosts;
	uint64_t *at = calloc(2 * (size_t)hosts, sizeof(*at)), most = 0, alone;
	int rc = at ? drb_job_alone(&h->transfers, list, &alone) : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < list->count; i++) {
		const struct drb_listed *t = &list->transfer[i];
		at[t->source] += t->size;
		at[hosts + t->dest] += t->size;
		most = at[t->source] > most ? at[t->source] : most;
		most = at[hosts + t->dest] > most ? at[hosts + t->dest] : most;
	}
	*bound = rc < 0 ? NAN : fmax((double)most, (double)alone);
	free(at);
	return rc;
}

static bool counts(const struct paper_hosts *h, const struct drb_listed *t)
{
	const struct paper_hosts_case *c = h->traffic;

	return c->end == 0 || (t->slot >= c->warm_up * h->amount && t->slot < c->end * h->amount);
}

// sample: room for all.
static void sum_up(const struct paper_hosts *h, const struct drb_list *list,
		   const struct drb_list_result *r, uint64_t sample[],
		   struct paper_hosts_result *result)
{
	const bool whole = r->finished == list->count;
	uint64_t n = 0, last = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct drb_listed *l = &list->transfer[i];
		const struct drb_transfer t = {
			.source = l->source, .dest = l->dest, .size = l->size};
		uint64_t time = r->time[i].finish - r->time[i].start;
		last = r->time[i].finish > last ? r->time[i].finish : last;
		if (whole && counts(h, l))
			sample[n++] = (uint64_t)llround(
				(double)time / (double)drb_transfer_alone(&h->transfers, &t) *
				DRB_SLOWDOWN_ONE);
	}
	const struct drb_latency slowdown = drb_latency_of(sample, n);
	result->slowdown = slowdown.mean / DRB_SLOWDOWN_ONE; // NaN if there are no samples
	result->slowdown_p99 = slowdown.p99 / DRB_SLOWDOWN_ONE;
	result->makespan = whole && h->traffic->end == 0 ? (double)last : NAN;
	result->marked = (double)r->marked / (double)r->packets;
	result->resent = (double)r->resent / (double)r->packets;
	result->unfinished = list->count - r->finished;
}

int paper_hosts_run(const struct paper_hosts *h, struct paper_hosts_result *result)
{
	struct drb_list list = {0};
	struct drb_list_result r = {0};
	int rc = h->traffic->list(h, &list);
	uint64_t *sample = malloc((list.count + 1) * sizeof(*sample));

	*result = (struct paper_hosts_result){.bound = NAN};
	r.time = calloc(list.count + 1, sizeof(*r.time));
	if (rc == 0 && (!sample || !r.time))
		rc = -ENOMEM;
	if (rc == 0 && h->traffic->end == 0)
		rc = bound_of(h, &list, &result->bound);
	if (rc == 0)
		rc = drb_list_run(&(struct drb_list_setup){.transfers = h->transfers,
							   .list = &list,
							   .longest = PAPER_HOSTS_LONGEST},
				  &r);
	if (rc == 0)
		sum_up(h, &list, &r, sample, result);
	free(sample);
	free(r.time);
	drb_list_free(&list);
	return rc == 0 && r.failed ? -ENOMEM : rc;
}
