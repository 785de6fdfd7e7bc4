// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the claims of the table are judged, by what they are about.

#include "sim/paper/claims.h"
#include "sim/runs/sample.h"

// A figure and how sure it is: half the width of its interval of 95 %, NaN if one run told it.
struct claim_figure {
	double value, half;
	uint32_t runs;
};

struct claim_figure claim_figure_of(const struct sim_sample *s);
// One comparison, or one that is known exactly.
void claim_add(struct paper_judgement *j, struct claim_figure margin, const char *where);
void claim_add_exact(struct paper_judgement *j, double margin, const char *where);

// The fixed point of each lambda and T that has a chain of many queues: of T = 0, of others, of all.
enum claim_limits { CLAIM_PLAIN, CLAIM_WITH_THRESHOLD, CLAIM_ALL_LIMITS };
void claim_limits(const struct paper *p, struct paper_judgement *j, enum claim_limits which,
		  double (*margin)(const struct drb_theory *th));

// Labels, wiring and ways: claims_wiring.c
void judge_counts(const struct paper *p, struct paper_judgement *j);
void judge_wiring(const struct paper *p, struct paper_judgement *j);
void judge_ways_down(const struct paper *p, struct paper_judgement *j);
void judge_defaults(const struct paper *p, struct paper_judgement *j);
// Balls and bins: claims_bins.c
void judge_bins_one(const struct paper *p, struct paper_judgement *j);
void judge_bins_two(const struct paper *p, struct paper_judgement *j);
void judge_bins_third(const struct paper *p, struct paper_judgement *j);
void judge_bins_heavy(const struct paper *p, struct paper_judgement *j);
// Steps of proofs: claims_fixed.c
void judge_sum_printed(const struct paper *p, struct paper_judgement *j);
void judge_sum_right(const struct paper *p, struct paper_judgement *j);
void judge_step_bound(const struct paper *p, struct paper_judgement *j);
void judge_powers(const struct paper *p, struct paper_judgement *j);
void judge_balance(const struct paper *p, struct paper_judgement *j);
void judge_joined(const struct paper *p, struct paper_judgement *j);
void judge_lipschitz(const struct paper *p, struct paper_judgement *j);
// The fat-tree and D-mod-k: claims_tree.c
void judge_example(const struct paper *p, struct paper_judgement *j);
void judge_core_0(const struct paper *p, struct paper_judgement *j);
void judge_disjoint(const struct paper *p, struct paper_judgement *j);
void judge_worst_permutation(const struct paper *p, struct paper_judgement *j);
// The flow model: claims_flow.c
void judge_flow_best(const struct paper *p, struct paper_judgement *j);
void judge_flow_plain_fails(const struct paper *p, struct paper_judgement *j);
void judge_flow_plain_stays(const struct paper *p, struct paper_judgement *j);
void judge_flow_plain_half(const struct paper *p, struct paper_judgement *j);
void judge_flow_dmodk_down(const struct paper *p, struct paper_judgement *j);
void judge_flow_dmodk_up(const struct paper *p, struct paper_judgement *j);
void judge_flow_spread(const struct paper *p, struct paper_judgement *j);
void judge_flow_estimate(const struct paper *p, struct paper_judgement *j);
void judge_flow_second_tree(const struct paper *p, struct paper_judgement *j);
void judge_flow_limited(const struct paper *p, struct paper_judgement *j);
void judge_flow_two_choice(const struct paper *p, struct paper_judgement *j);
// The packet model: claims_packet.c
void judge_mean(const struct paper *p, struct paper_judgement *j);
void judge_tail(const struct paper *p, struct paper_judgement *j);
void judge_threshold_mean(const struct paper *p, struct paper_judgement *j);
void judge_threshold_tail(const struct paper *p, struct paper_judgement *j);
void judge_plain_fails(const struct paper *p, struct paper_judgement *j);
void judge_plain_stays(const struct paper *p, struct paper_judgement *j);
void judge_plain_half(const struct paper *p, struct paper_judgement *j);
void judge_best(const struct paper *p, struct paper_judgement *j);
void judge_heavy(const struct paper *p, struct paper_judgement *j);
void judge_settled(const struct paper *p, struct paper_judgement *j);
// Queues of the packet model: claims_queues.c
void judge_drb_up(const struct paper *p, struct paper_judgement *j);
void judge_drb_down(const struct paper *p, struct paper_judgement *j);
void judge_micro_up(const struct paper *p, struct paper_judgement *j);
void judge_dmodk_down(const struct paper *p, struct paper_judgement *j);
void judge_drb_up_most(const struct paper *p, struct paper_judgement *j);
void judge_drb_down_most(const struct paper *p, struct paper_judgement *j);
void judge_micro_up_most(const struct paper *p, struct paper_judgement *j);
void judge_dmodk_down_most(const struct paper *p, struct paper_judgement *j);
void judge_plain_down(const struct paper *p, struct paper_judgement *j);
void judge_micro_as_random(const struct paper *p, struct paper_judgement *j);
void judge_layers_alike(const struct paper *p, struct paper_judgement *j);
void judge_layers_alike_most(const struct paper *p, struct paper_judgement *j);
// The chain of queues and its limit: claims_theory.c
void judge_chain_bound(const struct paper *p, struct paper_judgement *j);
void judge_chain_drift(const struct paper *p, struct paper_judgement *j);
void judge_chain_rate(const struct paper *p, struct paper_judgement *j);
void judge_layers_poisson(const struct paper *p, struct paper_judgement *j);
void judge_layers_equal(const struct paper *p, struct paper_judgement *j);
void judge_chain_tail(const struct paper *p, struct paper_judgement *j);
void judge_chain_converges(const struct paper *p, struct paper_judgement *j);
void judge_chain_limit(const struct paper *p, struct paper_judgement *j);
void judge_chain_threshold(const struct paper *p, struct paper_judgement *j);
void judge_chain_power(const struct paper *p, struct paper_judgement *j);
void judge_closed_form(const struct paper *p, struct paper_judgement *j);
void judge_decay(const struct paper *p, struct paper_judgement *j);
