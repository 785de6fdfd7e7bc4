// SPDX-License-Identifier: BSD-3-Clause
// Claims about the packet model. Equal seeds give all schemes the same traffic, so schemes are compared
// seed by seed.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "sim/paper/points.h"

static double mean_of(const struct drb_packet_result *r)
{
	return r->latency;
}

static double tail_of(const struct drb_packet_result *r)
{
	return r->tail;
}

static const char *label_of(size_t line)
{
	return paper_line_label(paper_lines[line]);
}

// DRB, and it without threshold.
#define OWN 0
#define PLAIN 1

static size_t line_of(enum drb_scheme scheme)
{
	size_t line = 0;

	while (paper_lines[line].scheme != scheme)
		line++;
	return line;
}

// How far a figure of line b is above that of line a, seed by seed, at a load in a tree.
struct comparison {
	size_t a, b;
	double (*figure)(const struct drb_packet_result *r);
};

static struct sim_sample excess(const struct paper *p, const struct comparison *c, int tree,
				double rho)
{
	struct paper_runs a = paper_runs_of(p, paper_trees[tree], label_of(c->a), rho);
	struct paper_runs b = paper_runs_of(p, paper_trees[tree], label_of(c->b), rho);
	struct sim_sample s = {0};

	for (uint32_t i = 0; i < a.count && i < b.count; i++)
		sim_sample_add(&s, c->figure(&b.result[i]) / c->figure(&a.result[i]) - 1);
	return s;
}

static void compare(const struct paper *p, struct paper_judgement *j, const struct comparison *c)
{
	char where[64];

	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < PAPER_RHOS; i++) {
			struct sim_sample s = excess(p, c, tree, paper_rho(i));
			if (s.count == 0)
				continue;
			snprintf(where, sizeof(where), "F(%u,%u), %s, rho = %.2f",
				 paper_trees[tree][0], paper_trees[tree][1], label_of(c->b),
				 paper_rho(i));
			claim_add(j, claim_figure_of(&s), where);
		}
	}
}

// The others that the paper compares with, but for itself without threshold.
static const enum drb_scheme others[] = {DRB_SCHEME_DMODK, DRB_SCHEME_MICRO, DRB_SCHEME_VLB};
#define OTHERS (sizeof(others) / sizeof(others[0]))

void judge_mean(const struct paper *p, struct paper_judgement *j)
{
	for (size_t i = 0; i < OTHERS; i++)
		compare(p, j, &(struct comparison){OWN, line_of(others[i]), mean_of});
}

void judge_tail(const struct paper *p, struct paper_judgement *j)
{
	for (size_t i = 0; i < OTHERS; i++)
		compare(p, j, &(struct comparison){OWN, line_of(others[i]), tail_of});
}

void judge_threshold_mean(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct comparison){OWN, PLAIN, mean_of});
}

void judge_threshold_tail(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct comparison){OWN, PLAIN, tail_of});
}

void judge_plain_fails(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct comparison){line_of(DRB_SCHEME_DMODK), PLAIN, mean_of});
}

void judge_plain_stays(const struct paper *p, struct paper_judgement *j)
{
	for (uint32_t i = 0; i < PAPER_RHOS; i++) {
		struct paper_runs runs =
			paper_runs_of(p, paper_trees[0], label_of(PLAIN), paper_rho(i));
		struct sim_sample s = {0};
		for (uint32_t k = 0; k < runs.count; k++) {
			double stay = pow(1 - runs.result[k].redirected, paper_trees[0][0] - 1);
			sim_sample_add(&s, 0.05 - fabs(stay - 0.25));
		}
		if (s.count)
			claim_add(j, claim_figure_of(&s), runs.where);
	}
}

void judge_plain_half(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < PAPER_RHOS; i++) {
			struct paper_runs runs =
				paper_runs_of(p, paper_trees[tree], label_of(PLAIN), paper_rho(i));
			struct sim_sample s = {0};
			for (uint32_t k = 0; k < runs.count; k++)
				sim_sample_add(&s, 0.05 - fabs(runs.result[k].redirected - 0.5));
			if (s.count)
				claim_add(j, claim_figure_of(&s), runs.where);
		}
	}
}

void judge_best(const struct paper *p, struct paper_judgement *j)
{
	for (size_t other = 1; other < PAPER_LINES; other++)
		compare(p, j, &(struct comparison){OWN, other, mean_of});
}

// The lowest and the highest load that was run.
static void judge_heavy_against(const struct paper *p, struct paper_judgement *j, int tree,
				enum drb_scheme other)
{
	const struct comparison c = {OWN, line_of(other), mean_of};
	struct claim_figure low = {NAN, NAN, 0}, high = low;
	char where[64];

	for (uint32_t i = 0; i < PAPER_RHOS; i++) {
		struct sim_sample s = excess(p, &c, tree, paper_rho(i));
		if (s.count == 0)
			continue;
		high = claim_figure_of(&s);
		if (isnan(low.value))
			low = high;
	}
	snprintf(where, sizeof(where), "F(%u,%u), %s", paper_trees[tree][0], paper_trees[tree][1],
		 drb_scheme_name(other));
	if (!isnan(low.value))
		claim_add(j,
			  (struct claim_figure){high.value - low.value, hypot(high.half, low.half),
						high.runs},
			  where);
}

void judge_heavy(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		for (size_t i = 0; i < OTHERS; i++)
			judge_heavy_against(p, j, tree, others[i]);
	}
}

// A run grows or does not: that is exact, for the run.
void judge_settled(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		for (size_t line = 0; line < PAPER_LINES; line++) {
			for (uint32_t i = 0; i < PAPER_RHOS; i++) {
				struct paper_runs runs = paper_runs_of(
					p, paper_trees[tree], label_of(line), paper_rho(i));
				struct claim_figure none = {1, 0, runs.count};
				for (uint32_t k = 0; k < runs.count; k++)
					none.value = runs.result[k].growing ? -1 : none.value;
				if (runs.count)
					claim_add(j, none, runs.where);
			}
		}
	}
}
