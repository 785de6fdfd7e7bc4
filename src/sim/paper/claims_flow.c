// SPDX-License-Identifier: BSD-3-Clause
// Claims about the flow model. A point has many runs; of schemes the same runs have the same flows, so
// intervals of differences are wider than they had to be.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "sim/paper/points.h"

#define FLOWS_MOST 20

// A point of the flow model, and what is known of it.
struct told {
	const struct drb_flow_setup *setup;
	struct drb_flow_summary summary;
	struct claim_figure load; // of the busiest link
	char where[64];
};

static bool find(const struct paper *p, int tree, const char *label, uint32_t c, struct told *told)
{
	const struct paper_point *point = paper_find_flow(p, paper_trees[tree], label, c);

	if (!point)
		return false;
	told->setup = &point->flow;
	told->summary = paper_flow_summary(point);
	struct sim_sample s =
		sim_sample_of(point->runs, told->summary.max_load, told->summary.max_load_sd);
	told->load = claim_figure_of(&s);
	snprintf(told->where, sizeof(told->where), "F(%u,%u), %s, c = %u", paper_trees[tree][0],
		 paper_trees[tree][1], label, c);
	return true;
}

static struct claim_figure difference(struct claim_figure a, struct claim_figure b)
{
	return (struct claim_figure){a.value - b.value, hypot(a.half, b.half),
				     a.runs < b.runs ? a.runs : b.runs};
}

static const char *label_of(size_t line)
{
	return paper_line_label(paper_lines[line]);
}

// DRB, and it without threshold.
#define OWN 0
#define PLAIN 1

// Calls each(j, a, b) of what lines a and b tell at each c in both trees.
static void compare(const struct paper *p, struct paper_judgement *j, const size_t line[2],
		    void (*each)(struct paper_judgement *j, const struct told *a,
				 const struct told *b))
{
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t c = 1; c <= FLOWS_MOST; c++) {
			struct told a, b;
			if (find(p, tree, label_of(line[0]), c, &a) &&
			    find(p, tree, label_of(line[1]), c, &b))
				each(j, &a, &b);
		}
	}
}

static void is_below(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	claim_add(j, difference(b->load, a->load), b->where);
}

void judge_flow_best(const struct paper *p, struct paper_judgement *j)
{
	for (size_t other = 1; other < PAPER_LINES; other++) {
		if (other != PAPER_LINE_DMODK)
			compare(p, j, (const size_t[]){OWN, other}, is_below);
	}
}

void judge_flow_plain_fails(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){PAPER_LINE_DMODK, PLAIN}, is_below);
}

// Of so many decisions the share has next to no error by chance.
static struct claim_figure redirected(const struct told *t)
{
	double share = t->summary.redirected;
	double decisions = t->load.runs * (double)t->setup->flows * t->setup->tree.hosts;

	return (struct claim_figure){share, 2 * sqrt(share * (1 - share) / decisions),
				     t->load.runs};
}

static void stays(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	struct claim_figure share = redirected(a);
	double stay = pow(1 - share.value, a->setup->tree.layers - 1);

	(void)b;
	if (a->setup->tree.layers == 3)
		claim_add(
			j,
			(struct claim_figure){0.05 - fabs(stay - 0.25), 2 * share.half, share.runs},
			a->where);
}

void judge_flow_plain_stays(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){PLAIN, PLAIN}, stays);
}

static void varies_little(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	double share = a->summary.max_load_sd / a->load.value;
	// A standard deviation of n figures is known to about 1 / sqrt(2 (n - 1)) of itself.
	double half = 2 * share / sqrt(2.0 * (a->load.runs - 1));

	(void)b;
	claim_add(j, (struct claim_figure){0.1 - share, half, a->load.runs}, a->where);
}

static void halves(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	struct claim_figure share = redirected(a);

	(void)b;
	share.value = 0.05 - fabs(share.value - 0.5);
	claim_add(j, share, a->where);
}

void judge_flow_plain_half(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){PLAIN, PLAIN}, halves);
}

static void is_least_down(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	(void)b;
	claim_add_exact(j, 1e-9 - fabs(a->summary.max_down - a->setup->flows), a->where);
}

void judge_flow_dmodk_down(const struct paper *p, struct paper_judgement *j)
{
	const size_t line = PAPER_LINE_DMODK;

	compare(p, j, (const size_t[]){line, line}, is_least_down);
}

void judge_flow_dmodk_up(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){OWN, PAPER_LINE_DMODK}, is_below);
}

void judge_flow_spread(const struct paper *p, struct paper_judgement *j)
{
	for (size_t line = 0; line < PAPER_LINES; line++)
		compare(p, j, (const size_t[]){line, line}, varies_little);
}

static struct claim_figure error_of(const struct told *t)
{
	double estimate =
		drb_estimate_flow(t->setup->flows, t->setup->tree.hosts, t->setup->threshold);

	return (struct claim_figure){fabs(t->load.value - estimate) / estimate,
				     t->load.half / estimate, t->load.runs};
}

static void is_estimated(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	struct claim_figure error = error_of(a);

	(void)b;
	error.value = 0.15 - error.value;
	claim_add(j, error, a->where);
}

void judge_flow_estimate(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){OWN, OWN}, is_estimated);
}

void judge_flow_second_tree(const struct paper *p, struct paper_judgement *j)
{
	for (uint32_t c = 1; c <= FLOWS_MOST; c++) {
		struct told a, b;
		if (find(p, 0, label_of(OWN), c, &a) && find(p, 1, label_of(OWN), c, &b))
			claim_add(j, difference(error_of(&b), error_of(&a)), b.where);
	}
}

static void is_limited(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	struct claim_figure half = redirected(b);

	half.value /= 2;
	claim_add(j, difference(half, redirected(a)), a->where);
}

void judge_flow_limited(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){OWN, PLAIN}, is_limited);
}

static void is_two_choice(struct paper_judgement *j, const struct told *a, const struct told *b)
{
	double bins = drb_estimate_flow(a->setup->flows, a->setup->tree.hosts, 0);
	double room = floor(a->setup->threshold) + 1;

	(void)b;
	claim_add(j,
		  (struct claim_figure){room - fabs(a->load.value - bins), a->load.half,
					a->load.runs},
		  a->where);
}

void judge_flow_two_choice(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, (const size_t[]){OWN, OWN}, is_two_choice);
}
