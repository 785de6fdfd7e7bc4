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

// The fat-tree and D-mod-k: claims_tree.c
void judge_example(const struct paper *p, struct paper_judgement *j);
void judge_core_0(const struct paper *p, struct paper_judgement *j);
void judge_disjoint(const struct paper *p, struct paper_judgement *j);
void judge_worst_permutation(const struct paper *p, struct paper_judgement *j);
// The flow model: claims_flow.c
void judge_flow_best(const struct paper *p, struct paper_judgement *j);
void judge_flow_plain_fails(const struct paper *p, struct paper_judgement *j);
void judge_flow_plain_stays(const struct paper *p, struct paper_judgement *j);
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
void judge_heavy(const struct paper *p, struct paper_judgement *j);
void judge_settled(const struct paper *p, struct paper_judgement *j);
// Queues of the packet model: claims_queues.c
void judge_drb_up(const struct paper *p, struct paper_judgement *j);
void judge_drb_down(const struct paper *p, struct paper_judgement *j);
void judge_micro_up(const struct paper *p, struct paper_judgement *j);
void judge_dmodk_down(const struct paper *p, struct paper_judgement *j);
void judge_layers_alike(const struct paper *p, struct paper_judgement *j);
// The chain of queues and its limit: claims_theory.c
void judge_chain_bound(const struct paper *p, struct paper_judgement *j);
void judge_layers_poisson(const struct paper *p, struct paper_judgement *j);
void judge_layers_equal(const struct paper *p, struct paper_judgement *j);
void judge_chain_tail(const struct paper *p, struct paper_judgement *j);
void judge_chain_converges(const struct paper *p, struct paper_judgement *j);
void judge_chain_limit(const struct paper *p, struct paper_judgement *j);
void judge_chain_threshold(const struct paper *p, struct paper_judgement *j);
void judge_chain_power(const struct paper *p, struct paper_judgement *j);
void judge_closed_form(const struct paper *p, struct paper_judgement *j);
void judge_decay(const struct paper *p, struct paper_judgement *j);
