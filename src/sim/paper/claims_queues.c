// SPDX-License-Identifier: BSD-3-Clause
// Claims about the queues of the packet model, layer by layer.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "sim/paper/points.h"

// How far queues of a layer are longer under line b than under line a: their mean, or the longest.
struct queues {
	const char *a, *b; // paper_line_label()
	bool up, longest;
	double least; // how much shorter they may be
};

static double queue_of(const struct drb_packet_result *r, const struct queues *q, uint32_t m)
{
	if (q->longest)
		return q->up ? r->up_max[m] : r->down_max[m];
	return q->up ? r->up_mean[m] : r->down_mean[m];
}

static void compare_layer(struct paper_judgement *j, const struct queues *q,
			  const struct paper_runs runs[2], uint32_t m)
{
	struct sim_sample s = {0};
	char where[64];

	for (uint32_t i = 0; i < runs[0].count && i < runs[1].count; i++) {
		double excess =
			queue_of(&runs[1].result[i], q, m) / queue_of(&runs[0].result[i], q, m) - 1;
		sim_sample_add(&s, excess + q->least);
	}
	snprintf(where, sizeof(where), "%s, layer %u", runs[0].where, m);
	if (s.count)
		claim_add(j, claim_figure_of(&s), where);
}

static void compare(const struct paper *p, struct paper_judgement *j, const struct queues *q)
{
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < PAPER_RHOS; i++) {
			struct paper_runs runs[2] = {
				paper_runs_of(p, paper_trees[tree], q->a, paper_rho(i)),
				paper_runs_of(p, paper_trees[tree], q->b, paper_rho(i))};
			// To its host a packet has one link, whatever the scheme.
			for (uint32_t m = q->up ? 1 : 2;
			     m <= paper_trees[tree][0] - (q->up ? 1 : 0); m++)
				compare_layer(j, q, runs, m);
		}
	}
}

// Names of lines, as paper_line_label() has them.
#define DRB "drb"
#define PLAIN "drb T=0"
#define MICRO "micro"
#define DMODK "dmodk"
#define VLB "vlb"

void judge_drb_up(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB, DMODK, .up = true});
}

void judge_drb_down(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){.a = DRB, .b = MICRO});
}

void judge_micro_up(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){MICRO, DMODK, .up = true});
}

void judge_dmodk_down(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){.a = DMODK, .b = MICRO});
}

void judge_drb_up_most(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB, DMODK, .up = true, .longest = true});
}

void judge_drb_down_most(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB, MICRO, .longest = true});
}

void judge_micro_up_most(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){MICRO, DMODK, .up = true, .longest = true});
}

void judge_dmodk_down_most(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DMODK, MICRO, .longest = true});
}

void judge_plain_down(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){.a = DRB, .b = PLAIN});
}

void judge_micro_as_random(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){VLB, MICRO, .least = 0.1});
}

// How much is left of what queues of uplinks may differ by from layer to layer.
static double left_of(const struct drb_packet_result *r, uint32_t layers, bool longest)
{
	double least = INFINITY, most = 0;

	for (uint32_t m = 1; m < layers; m++) {
		double queue = longest ? r->up_max[m] : r->up_mean[m];
		least = fmin(least, queue);
		most = fmax(most, queue);
	}
	// The longest queue is a whole number of packets.
	return longest ? 1 + 0.15 * least - (most - least) : 0.15 - (most / least - 1);
}

static void are_alike(const struct paper *p, struct paper_judgement *j, bool longest)
{
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < PAPER_RHOS; i++) {
			struct paper_runs runs =
				paper_runs_of(p, paper_trees[tree], DRB, paper_rho(i));
			struct sim_sample s = {0};
			for (uint32_t k = 0; k < runs.count; k++)
				sim_sample_add(&s, left_of(&runs.result[k], paper_trees[tree][0],
							   longest));
			if (s.count)
				claim_add(j, claim_figure_of(&s), runs.where);
		}
	}
}

void judge_layers_alike(const struct paper *p, struct paper_judgement *j)
{
	are_alike(p, j, false);
}

void judge_layers_alike_most(const struct paper *p, struct paper_judgement *j)
{
	are_alike(p, j, true);
}
