// SPDX-License-Identifier: BSD-3-Clause
// The claims of the paper and their verdicts: that they follow from what the models do. The points of the
// short plan run in small trees, on the models as they are and on models that are wrong on purpose.
#include "fixtures/unit.h"

#include "fixtures/text.h"
#include "sim/paper/claims.h"
#include "sim/paper/claims_judge.h"
#include "sim/paper/plan.h"
#include "sim/paper/points.h"
#include "sim/paper/report_parts.h"
#include "sim/paper/together.h"

#define SEEDS 5

// What is wrong with the models.
enum wrong {
	NOTHING,
	DRB_IS_VLB,
	NO_THRESHOLD,
	HIGHER_THRESHOLD,
	SLOW_SERVICE,
	ONE_CHOICE,
	UNSETTLED,
	FEW_QUEUES
};

static void make_small(struct drb_tree *t)
{
	drb_tree_init(t, t->layers, t->layers == 3 ? 6 : 3);
}

// A model that does something else than what is asked for.
static void make_wrong(struct paper_point *point, enum wrong wrong)
{
	bool own = point->paper_t &&
		   (point->kind == PAPER_FLOW ? point->flow.scheme : point->packet.scheme) ==
			   DRB_SCHEME_DRB;

	switch (wrong) {
	case NOTHING:
		break;
	case DRB_IS_VLB:
		if (own)
			point->flow.scheme = point->packet.scheme = DRB_SCHEME_VLB;
		break;
	case NO_THRESHOLD:
		if (own)
			point->flow.threshold = point->packet.threshold = 0;
		break;
	case HIGHER_THRESHOLD:
		point->ctmc.threshold += 2;
		break;
	case SLOW_SERVICE: // and nothing is redirected
		point->ctmc.lambda = 1 - (1 - point->ctmc.lambda) * 0.6;
		point->ctmc.threshold = DRB_THEORY_THRESHOLD_MAX;
		break;
	case ONE_CHOICE:
		point->layers.threshold = DRB_THEORY_THRESHOLD_MAX;
		break;
	case FEW_QUEUES:
		point->ctmc.queues = 10;
		break;
	case UNSETTLED: // packets have not come far
		point->layers.warm_up = 0;
		point->layers.time = 5;
		break;
	}
}

// Not the studies; of chains and fabrics only what is wrong.
static bool is_run(const struct paper_point *point, enum wrong wrong)
{
	if (point->kind == PAPER_CTMC)
		return wrong == NOTHING || wrong == HIGHER_THRESHOLD || wrong == SLOW_SERVICE ||
		       wrong == FEW_QUEUES;
	if (point->kind == PAPER_CTMC_LAYERS)
		return wrong == NOTHING || wrong == ONE_CHOICE || wrong == UNSETTLED;
	return wrong < HIGHER_THRESHOLD &&
	       (point->kind == PAPER_FLOW || point->study == PAPER_ITSELF);
}

static struct paper run(enum wrong wrong)
{
	struct paper p = {
		.common = sim_common_default(), .quick = true, .seeds = 1, .own_seeds = SEEDS};

	paper_plan(&p);
	for (uint32_t i = 0; i < p.points; i++) {
		struct paper_point *point = &p.point[i], other = *point;
		if (!is_run(point, wrong))
			continue;
		make_small(&other.flow.tree);
		make_small(&other.packet.tree);
		other.packet.slots = 400;
		other.packet.stats = 200;
		other.packet.memory = UINT64_C(256) << 20;
		other.runs = 20;
		// Little is enough to tell what is wrong, but not to tell 0.01.
		other.ctmc.time *= wrong == NOTHING ? 4 : 0.5;
		make_wrong(&other, wrong);
		assert_int_equal(paper_run_points((struct paper_point *[]){&other}, 1), 0);
		memcpy(point->value, other.value, sizeof(point->value));
		point->runs = other.runs;
		point->done = true;
	}
	return p;
}

static const struct paper_claim *claim_of(void (*judge)(const struct paper *p,
							struct paper_judgement *j))
{
	for (uint32_t i = 0; i < paper_claims; i++) {
		if (paper_claim[i].judge == judge)
			return &paper_claim[i];
	}
	fail_msg("no claim is judged by this");
	return NULL;
}

#define VERDICT(p, judge)                                                                          \
	({                                                                                         \
		struct paper_judgement j_ = paper_judge(p, claim_of(judge));                       \
		print_message("%s: %u, %u, %u, least %g +- %g, %s\n", #judge, j_.hold, j_.fail,    \
			      j_.open, j_.margin, j_.half, j_.where);                              \
		paper_outcome(&j_);                                                                \
	})

// Models as they are: what they show is what the paper says, where it does in small trees.
TEST(right_models_reproduce)
{
	struct paper p = run(NOTHING);

	assert_int_equal(VERDICT(&p, judge_example), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_core_0), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_disjoint), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_counts), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_wiring), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_ways_down), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_defaults), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_bins_one), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_bins_two), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_bins_third), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_bins_heavy), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_tail), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_up), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_up_most), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_down_most), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_plain_down), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_plain_half), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_flow_plain_half), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_flow_dmodk_down), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_down), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_flow_limited), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_bound), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_drift), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_limit), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_tail), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_converges), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_threshold), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_power), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_closed_form), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_decay), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_sum_printed), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_sum_right), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_step_bound), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_powers), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_balance), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_joined), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_lipschitz), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_layers_poisson), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_layers_equal), PAPER_REPRODUCED);
	free(p.point);
}

// DRB as VLB: it is the best of nothing any more.
TEST(a_random_drb_is_told)
{
	struct paper p = run(DRB_IS_VLB);

	assert_int_equal(VERDICT(&p, judge_mean), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_tail), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_up), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_drb_down), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_best), PAPER_NOT_REPRODUCED);
	assert_int_not_equal(VERDICT(&p, judge_drb_up_most), PAPER_REPRODUCED);
	assert_int_not_equal(VERDICT(&p, judge_drb_down_most), PAPER_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_plain_down), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_flow_best), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_flow_limited), PAPER_NOT_REPRODUCED);
	free(p.point);
}

// A DRB that ignores its threshold has the same runs as T = 0: nothing is between them.
TEST(a_missing_threshold_is_told)
{
	struct paper p = run(NO_THRESHOLD);

	assert_int_equal(VERDICT(&p, judge_threshold_mean), PAPER_UNDECIDED);
	assert_int_equal(VERDICT(&p, judge_threshold_tail), PAPER_UNDECIDED);
	assert_int_equal(VERDICT(&p, judge_plain_down), PAPER_UNDECIDED);
	assert_int_equal(VERDICT(&p, judge_flow_limited), PAPER_NOT_REPRODUCED);
	free(p.point);
}

TEST(a_wrong_chain_is_told)
{
	struct paper p = run(HIGHER_THRESHOLD);

	assert_int_equal(VERDICT(&p, judge_chain_limit), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_tail), PAPER_NOT_REPRODUCED);
	free(p.point);
	p = run(FEW_QUEUES);
	assert_int_not_equal(VERDICT(&p, judge_chain_converges), PAPER_REPRODUCED);
	free(p.point);
	p = run(SLOW_SERVICE);
	assert_int_equal(VERDICT(&p, judge_chain_bound), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_drift), PAPER_NOT_REPRODUCED);
	assert_int_equal(VERDICT(&p, judge_chain_rate), PAPER_NOT_REPRODUCED);
	free(p.point);
}

// Without a second choice departures are Poisson (Burke); before the first packets are everywhere, layers differ.
TEST(wrong_layers_are_told)
{
	struct paper p = run(ONE_CHOICE);

	assert_int_equal(VERDICT(&p, judge_layers_poisson), PAPER_REPRODUCED);
	free(p.point);
	p = run(UNSETTLED);
	assert_int_equal(VERDICT(&p, judge_layers_equal), PAPER_NOT_REPRODUCED);
	free(p.point);
}

// One run tells nothing: no figure of it has an interval.
TEST(one_run_decides_nothing)
{
	struct paper_judgement j = {0};
	struct sim_sample one = {0}, two = {0};

	sim_sample_add(&one, 5);
	claim_add(&j, claim_figure_of(&one), "one");
	assert_true(j.open == 1 && paper_outcome(&j) == PAPER_UNDECIDED && j.runs == 1);
	sim_sample_add(&two, 5);
	sim_sample_add(&two, 5.1);
	claim_add(&j, claim_figure_of(&two), "two");
	assert_true(j.hold == 1 && j.open == 1 && paper_outcome(&j) == PAPER_UNDECIDED);
	assert_true(j.margin == 5 && isnan(j.half) && strcmp(j.where, "one") == 0);
	claim_add_exact(&j, -1, "exact");
	assert_true(j.fail == 1 && paper_outcome(&j) == PAPER_NOT_REPRODUCED);
	assert_true(j.margin == -1 && strcmp(j.where, "exact") == 0);
	j = (struct paper_judgement){0};
	assert_int_equal(paper_outcome(&j), PAPER_NOT_TESTABLE);
}

// The report has a row for every claim, its verdict, and no figure that is none.
TEST(the_report_has_every_claim)
{
	struct paper p = run(NOTHING);
	char *html = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&html, &size);

	assert_non_null(f);
	report_claims(&p, f);
	report_flows(&p, f);
	report_packets(&p, f);
	report_theory(&p, f);
	fclose(f);
	for (uint32_t i = 0; i < paper_claims; i++) {
		assert_non_null(strstr(html, paper_claim[i].says));
		assert_non_null(strstr(html, paper_claim[i].margin));
	}
	uint32_t judged = 0;
	for (int outcome = PAPER_REPRODUCED; outcome <= PAPER_NOT_TESTABLE; outcome++) {
		char cell[40];
		snprintf(cell, sizeof(cell), "\">%s</td>",
			 paper_outcome_name((enum paper_outcome)outcome));
		judged += times_in(html, cell);
	}
	assert_int_equal(judged, paper_claims);
	assert_null(strstr(html, ">nan"));
	assert_null(strstr(html, "inf"));
	free(html);
	free(p.point);
}

TEST_MAIN(NULL, NULL)
