// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/claims.h"

#include <math.h>
#include <string.h>

#include "sim/paper/claims_judge.h"

const struct paper_claim paper_claim[] = {
	{"1", "text",
	 "n balls in n random bins: the fullest has about ln n / ln ln n, Theta(), with high "
	 "probability.",
	 "ln n / ln ln n less the distance of the fullest bin from it, as many bins as hosts",
	 judge_bins_one, NULL},
	{"1", "text", "... each in the less loaded of two: about ln ln n / ln 2.",
	 "2 less the distance of the fullest bin from it, likewise", judge_bins_two, NULL},
	{"1", "text", "... of d > 2 just a fractional improvement over two.",
	 "what the second choice takes off the fullest bin, less twice what the third does, "
	 "likewise",
	 judge_bins_third, NULL},
	{"1", "text", "Choosing among whole paths cannot gain as much.",
	 "cited; no scheme here chooses among paths", NULL, NULL},
	{"1", "text", "Micro outperforms Conga and Presto.",
	 "cited; neither of them is simulated here", NULL, NULL},
	{"1", "text", "Micro cannot address congestion on the way down.",
	 "0.1 less by how much the mean queue of a layer of down-links is shorter than VLB's, "
	 "whose way up is random, each layer, rho and tree",
	 judge_micro_as_random, "queue-mean-"},
	{"1, 2.1", "text", "D-mod-k may suffer heavy congestion on the way up: flows.",
	 "flows on the busiest link, D-mod-k less DRB, each c and tree", judge_flow_dmodk_up,
	 "flow-"},
	{"1, 3", "text", "With T = 0 redirected traffic congests the down-links: packets.",
	 "mean queue of a layer of down-links, T = 0 over DRB, less 1, each layer, rho and tree",
	 judge_plain_down, NULL},
	{"2", "text",
	 "F(l,d) has 2 d^l hosts, d^(l-1) cores, 2 d^(l-1) switches of each other layer, and as "
	 "many "
	 "links as hosts between layers.",
	 "1 if as many are reached on the way up, else -1, each layer and tree (exact)",
	 judge_counts, NULL},
	{"2", "eq. 1",
	 "Two switches are linked if their codes differ in digit m - 1 at most, by the ports that "
	 "these "
	 "digits are.",
	 "1 if so for all up-ports of all switches, else -1, both trees (exact)", judge_wiring,
	 NULL},
	{"2, A", "eq. 4",
	 "Any sequence of d-ary up-ports leads to layer k, from which the digits of the "
	 "destination are the "
	 "only way down, and no switch before has one.",
	 "1 if so for all pairs and sequences, else -1, F(3,2), F(3,3), F(4,2) (exact)",
	 judge_ways_down, NULL},
	{"2", "Fig. 2",
	 "The way from host 4 to host 10 of F(3,2) goes up by ports (0, 1) and down by "
	 "(2, 1, 0).",
	 "1 for every port that is the one said, else -1 (exact)", judge_example, NULL},
	{"2.1", "Fig. 1", "D-mod-k maps hosts 0, 4, 8 and 12 of F(3,2) to core 0, and no others.",
	 "1 for every host that is mapped so, else -1 (exact)", judge_core_0, NULL},
	{"2.1", "Theorem 2.1", "D-mod-k's ways down to different destinations share no link.",
	 "1 unless a down-link of F(3,4) or F(4,3) is on the ways to two hosts, of all pairs; then "
	 "-1 "
	 "(exact)",
	 judge_disjoint, NULL},
	{"2.1", "text", "D-mod-k minimizes collisions on the way down: flows.",
	 "1e-9 less how far its busiest down-link is from c flows, the least there can be, each c "
	 "and "
	 "tree",
	 judge_flow_dmodk_down, NULL},
	{"2.1", "text", "This is the first proof of that.", "about the literature", NULL, NULL},
	{"2.1", "text", "Some permutation puts about sqrt(N) pairs on one link, under D-mod-k too.",
	 "the most pairs that D-mod-k can put on an uplink, of sqrt(N), less a half (exact)",
	 judge_worst_permutation, NULL},
	{"2.1", "text", "... and under any other deterministic scheme.",
	 "about all schemes there can be: a theorem of another paper", NULL, NULL},
	{"3", "text",
	 "With T = 0 a switch takes the D-mod-k uplink with nearly 0.5 probability: flows.",
	 "0.05 less the distance of the redirected share from 0.5, each c and tree",
	 judge_flow_plain_half, NULL},
	{"3", "text", "The same of packets.", "the same, each rho and tree", judge_plain_half,
	 NULL},
	{"3", "text",
	 "With T = 0 about 25 % of the traffic of a tree of three layers stays on its "
	 "D-mod-k way: flows.",
	 "0.05 less the distance from 0.25 of the share that stays at both layers, each c",
	 judge_flow_plain_stays, NULL},
	{"3", "text", "The same of packets.", "the same, each rho", judge_plain_stays, NULL},
	{"3", "text", "T = 0 fails to improve on D-mod-k: flows.",
	 "flows on the busiest link, T = 0 less D-mod-k, each c and tree", judge_flow_plain_fails,
	 "flow-"},
	{"3", "text", "T = 0 fails to improve on D-mod-k: packets.",
	 "mean latency of T = 0 over D-mod-k's, less 1, each rho and tree", judge_plain_fails,
	 "latency-"},
	{"3", "text", "A higher threshold redirects less, and balances the uplinks less.",
	 "from one T to the next higher: redirected share that goes, mean queue that comes, chain "
	 "of "
	 "queues",
	 judge_chain_threshold, NULL},
	{"4.1", "Fig. 4",
	 "DRB with T(c) has a smaller busiest link than micro, VLB and T = 0, for every "
	 "c.",
	 "flows on the busiest link, the other less DRB, each c and tree", judge_flow_best,
	 "flow-"},
	{"4.1", "text", "The variance of the busiest link over the runs is small.",
	 "0.1 less standard deviation over mean, each scheme, c and tree", judge_flow_spread, NULL},
	{"4.1", "text", "Under an optimal assignment the busiest link has c flows.",
	 "about the best assignment there is: a theorem (fat-trees do not block)", NULL, NULL},
	{"4.1", "Table 1", "c + ln ln N / ln 2 + T(c) estimates DRB's busiest link accurately.",
	 "0.15 less the relative error, each c and tree", judge_flow_estimate, NULL},
	{"4.1", "Table 1", "The relative error is slightly larger in F(4,12) than in F(3,24).",
	 "relative error, F(4,12) less F(3,24), each c", judge_flow_second_tree, NULL},
	{"4.1", "eq. 14",
	 "c n balls in n bins, each in the less loaded of two: about c + ln ln n / ln 2 + "
	 "Theta(1).",
	 "2 less the distance of the fullest bin from c + ln ln n / ln 2, c = 1, 5, 10, 20",
	 judge_bins_heavy, NULL},
	{"4.1", "text", "The threshold greatly limits how many flows are redirected.",
	 "half of the share with T = 0, less that with T(c), each c and tree", judge_flow_limited,
	 NULL},
	{"4.1", "text",
	 "DRB's busiest link is like two-choice's in balls and bins: c + ln ln N / ln 2 + "
	 "O(1).",
	 "T(c) + 1 less the distance from c + ln ln N / ln 2, each c and tree",
	 judge_flow_two_choice, "flow-"},
	{"4.2", "text", "The system is stable by the last 500 of 2000 slots.",
	 "1 if no queue grows any more, else -1, each scheme, rho and tree", judge_settled, NULL},
	{"4.2", "Fig. 5", "DRB balances the uplinks: better than D-mod-k.",
	 "mean queue of a layer, D-mod-k's over DRB's, less 1, each layer, rho and tree",
	 judge_drb_up, "queue-mean-"},
	{"4.2", "Fig. 5", "DRB balances the down-links: better than micro.",
	 "mean queue of a layer, micro's over DRB's, less 1, each layer, rho and tree",
	 judge_drb_down, "queue-mean-"},
	{"4.2", "Fig. 5", "Micro balances the uplinks: better than D-mod-k.",
	 "mean queue of a layer, D-mod-k's over micro's, less 1, each layer, rho and tree",
	 judge_micro_up, "queue-mean-"},
	{"4.2", "Fig. 5", "D-mod-k balances the down-links: better than micro.",
	 "mean queue of a layer, micro's over D-mod-k's, less 1, each layer, rho and tree",
	 judge_dmodk_down, "queue-mean-"},
	{"4.2", "Fig. 5", "DRB balances the uplinks: the longest queue.",
	 "longest queue of a layer, D-mod-k's over DRB's, less 1, each layer, rho and tree",
	 judge_drb_up_most, "queue-max-"},
	{"4.2", "Fig. 5", "DRB balances the down-links: the longest queue.",
	 "longest queue of a layer, micro's over DRB's, less 1, each layer, rho and tree",
	 judge_drb_down_most, "queue-max-"},
	{"4.2", "Fig. 5", "Micro balances the uplinks: the longest queue.",
	 "longest queue of a layer, D-mod-k's over micro's, less 1, each layer, rho and tree",
	 judge_micro_up_most, "queue-max-"},
	{"4.2", "Fig. 5", "D-mod-k balances the down-links: the longest queue.",
	 "longest queue of a layer, micro's over D-mod-k's, less 1, each layer, rho and tree",
	 judge_dmodk_down_most, "queue-max-"},
	{"4.2", "Fig. 6", "DRB achieves the best performance: the lowest mean latency of all five.",
	 "mean latency, the other's over DRB's, less 1, T = 0 among them, each rho and tree",
	 judge_best, "latency-"},
	{"4.2", "Fig. 6", "DRB has the lower mean latency: than D-mod-k, micro and VLB.",
	 "mean latency, the other's over DRB's, less 1, each rho and tree", judge_mean, "latency-"},
	{"4.2", "Fig. 6", "DRB has the lower tail latency: than D-mod-k, micro and VLB.",
	 "tail latency, the other's over DRB's, less 1, each rho and tree", judge_tail, "tail-"},
	{"4.2", "Fig. 6", "... the more so under heavy load.",
	 "the margin of the mean, at the highest rho less at the lowest, each other scheme and "
	 "tree",
	 judge_heavy, "latency-"},
	{"4.2", "Fig. 6", "The threshold T(rho) lowers the mean latency against T = 0.",
	 "mean latency, T = 0 over DRB, less 1, each rho and tree", judge_threshold_mean,
	 "latency-"},
	{"4.2", "Fig. 6", "The threshold T(rho) lowers the tail latency against T = 0.",
	 "tail latency, T = 0 over DRB, less 1, each rho and tree", judge_threshold_tail, "tail-"},
	{"5", "text", "D-mod-k selects any uplink of a switch with identical probability.",
	 "1 if as many hosts that are not below a switch have each of its uplinks for default, "
	 "else -1, "
	 "each layer and tree (exact)",
	 judge_defaults, NULL},
	{"5.1", "Theorem 5.1", "The chain is irreducible, nonexplosive and positive recurrent.",
	 "about all times; of its bound see the next", NULL, NULL},
	{"5.1", "Theorem 5.1", "The mean queue is below 1 / (1 - lambda) for any number of queues.",
	 "1 less the mean queue over that bound, chains of 1000, 30 and 10 queues, each lambda "
	 "and T",
	 judge_chain_bound, NULL},
	{"C", "text", "... indeed at most (1 + lambda) / (2 - 2 lambda).",
	 "1 less the mean queue over that bound, likewise", judge_chain_drift, NULL},
	{"C", "text", "A packet joins a queue that is no longer than a random one, on average.",
	 "mean queue less mean of those that packets join, fixed point, each lambda and T (exact)",
	 judge_joined, NULL},
	{"5.2", "text", "For many queues the chain is close to the fixed point.",
	 "0.03 less the relative distance of the mean queues, 1000 queues, each lambda and T",
	 judge_chain_limit, "theory"},
	{"5.2", "text", "... and so is the share of queues with at least i packets.",
	 "0.01 less the distance of s_i, 1000 queues, each lambda, T and i up to 16",
	 judge_chain_tail, "theory-chain"},
	{"5.2", "text", "... the more queues, the closer.",
	 "relative distance of the mean queues, 10 queues less 30, 30 less 1000; lambda = 0.9, "
	 "each T",
	 judge_chain_converges, "theory-chain"},
	{"D", "text", "F is Lipschitz, with 6 lambda + 2.",
	 "6 lambda + 2 less |F(x) - F(y)| / |x - y|, sums over all components, 500 pairs of random "
	 "states, "
	 "each lambda and T",
	 judge_lipschitz, NULL},
	{"5.3", "text", "With T = 0 the fixed point is s_i = lambda^(2^i - 1).",
	 "1e-9 less the largest distance, each lambda (exact)", judge_closed_form, "theory"},
	{"5.3", "text",
	 "As printed: s_i = lambda s_(i-1)^2 + lambda sum p_(j-1) (s_(j-T) - s_(i-1)), j = "
	 "i..i+T-1.",
	 "1e-9 less the largest distance, each lambda and T > 0 (exact)", judge_sum_printed, NULL},
	{"5.3", "text", "What follows from its steps: the same with s_(j-T-1).",
	 "1e-9 less the largest distance, each lambda and T (exact)", judge_sum_right, NULL},
	{"5.3", "text", "s_i <= lambda s_(i-1) s_(i-T-1).",
	 "the least difference plus 1e-12, each lambda and T (exact)", judge_step_bound, NULL},
	{"5.3", "text", "z_i = lambda^i up to i = T + 1.",
	 "1e-9 less the largest distance, each lambda and T (exact)", judge_powers, NULL},
	{"5.3", "Theorem 5.2",
	 "The fixed point decays doubly exponentially: s_i <= z_i <= lambda^(c "
	 "alpha^i - 1).",
	 "the least of both differences plus 1e-12, each lambda and T (exact)", judge_decay,
	 "theory"},
	{"5, 6", "text", "TTC balances like two-choice.",
	 "mean queue: half way from T = 0 to one random choice, less that with T, each lambda and "
	 "T up "
	 "to the paper's T(rho)",
	 judge_chain_power, NULL},
	{"5.4", "text",
	 "A queue is in balance with what arrives, p_(i+1) = lambda (s_(i-T) + s_(i+T+1)) p_i, and "
	 "departs at "
	 "rate lambda.",
	 "1e-9 less the largest distance, fixed point, each lambda and T (exact)", judge_balance,
	 NULL},
	{"5.4", "text", "... and so it departs in a chain of queues.",
	 "0.005 less the distance from lambda of the share of queues that are not empty, 1000, 30 "
	 "and 10 "
	 "queues, each lambda and T",
	 judge_chain_rate, NULL},
	{"5.4", "text", "Queues of a layer are independent of each other.",
	 "for ever more queues; the models of finite trees do not note what two queues have in "
	 "common",
	 NULL, NULL},
	{"5.4", "text", "Departures of a layer's queues are Poisson.",
	 "0.05 less how far the variance of the time between two, over the square of its mean, is "
	 "from 1; exponential service, F(4,6) (--quick: F(4,4)), each lambda, T and layer",
	 judge_layers_poisson, NULL},
	{"5.4", "text", "Queues of all layers have one distribution.",
	 "0.05 less the largest difference of s_i from layer 1's, likewise", judge_layers_equal,
	 NULL},
	{"5.4", "Fig. 5",
	 "Mean queues of the uplinks of different layers are roughly the same: DRB.",
	 "0.15 less how far the longest is above the shortest, each rho and tree",
	 judge_layers_alike, "queue-mean-"},
	{"5.4", "Fig. 5",
	 "The longest queues of the uplinks of different layers are roughly the same: DRB.",
	 "a packet and 0.15 of the shortest of these less their range, each rho and tree",
	 judge_layers_alike_most, "queue-max-"},
};
const uint32_t paper_claims = sizeof(paper_claim) / sizeof(paper_claim[0]);

struct claim_figure claim_figure_of(const struct sim_sample *s)
{
	return (struct claim_figure){s->count ? s->mean : NAN, sim_sample_half_width(s), s->count};
}

void claim_add(struct paper_judgement *j, struct claim_figure margin, const char *where)
{
	// Of a figure that one run told nobody knows how sure it is.
	if (margin.value - margin.half > 0)
		j->hold++;
	else if (margin.value + margin.half < 0)
		j->fail++;
	else
		j->open++;
	if (j->hold + j->fail + j->open == 1 || margin.value < j->margin) {
		j->margin = margin.value;
		j->half = margin.half;
		snprintf(j->where, sizeof(j->where), "%s", where);
	}
	if (j->runs == 0 || margin.runs < j->runs)
		j->runs = margin.runs;
}

void claim_add_exact(struct paper_judgement *j, double margin, const char *where)
{
	claim_add(j, (struct claim_figure){margin, 0, PAPER_EXACT}, where);
}

struct paper_judgement paper_judge(const struct paper *p, const struct paper_claim *claim)
{
	struct paper_judgement j = {.margin = NAN, .half = NAN};

	if (claim->judge)
		claim->judge(p, &j);
	return j;
}

enum paper_outcome paper_outcome(const struct paper_judgement *j)
{
	if (j->hold + j->fail + j->open == 0)
		return PAPER_NOT_TESTABLE;
	return j->fail ? PAPER_NOT_REPRODUCED : j->open ? PAPER_UNDECIDED : PAPER_REPRODUCED;
}

const char *paper_outcome_name(enum paper_outcome outcome)
{
	static const char *const names[] = {"reproduced", "not reproduced", "undecided",
					    "not testable"};

	return names[outcome];
}
