// SPDX-License-Identifier: BSD-3-Clause
// Claims about the queues of the packet model, layer by layer.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "sim/paper/points.h"

// How far the mean queue of a layer is longer under b than under a.
struct queues {
	enum drb_scheme a, b;
	bool up;
};

static void compare_layer(struct paper_judgement *j, const struct queues *q,
			  const struct paper_runs runs[2], uint32_t m)
{
	struct sim_sample s = {0};
	char where[64];

	for (uint32_t i = 0; i < runs[0].count && i < runs[1].count; i++) {
		const struct drb_packet_result *a = &runs[0].result[i], *b = &runs[1].result[i];
		sim_sample_add(&s, q->up ? b->up_mean[m] / a->up_mean[m] - 1
					 : b->down_mean[m] / a->down_mean[m] - 1);
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
				paper_runs_of(p, paper_trees[tree], drb_scheme_name(q->a),
					      paper_rho(i)),
				paper_runs_of(p, paper_trees[tree], drb_scheme_name(q->b),
					      paper_rho(i))};
			// To its host a packet has one link, whatever the scheme.
			for (uint32_t m = q->up ? 1 : 2;
			     m <= paper_trees[tree][0] - (q->up ? 1 : 0); m++)
				compare_layer(j, q, runs, m);
		}
	}
}

void judge_drb_up(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB_SCHEME_DRB, DRB_SCHEME_DMODK, true});
}

void judge_drb_down(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB_SCHEME_DRB, DRB_SCHEME_MICRO, false});
}

void judge_micro_up(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB_SCHEME_MICRO, DRB_SCHEME_DMODK, true});
}

void judge_dmodk_down(const struct paper *p, struct paper_judgement *j)
{
	compare(p, j, &(struct queues){DRB_SCHEME_DMODK, DRB_SCHEME_MICRO, false});
}

void judge_layers_alike(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < PAPER_RHOS; i++) {
			struct paper_runs runs =
				paper_runs_of(p, paper_trees[tree], drb_scheme_name(DRB_SCHEME_DRB),
					      paper_rho(i));
			struct sim_sample s = {0};
			for (uint32_t k = 0; k < runs.count; k++) {
				double least = INFINITY, most = 0;
				for (uint32_t m = 1; m < paper_trees[tree][0]; m++) {
					least = fmin(least, runs.result[k].up_mean[m]);
					most = fmax(most, runs.result[k].up_mean[m]);
				}
				sim_sample_add(&s, 0.15 - (most / least - 1));
			}
			if (s.count)
				claim_add(j, claim_figure_of(&s), runs.where);
		}
	}
}
