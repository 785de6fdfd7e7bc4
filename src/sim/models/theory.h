// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean-field theory of threshold-based two-choice queues, and the Markov chain it describes.
// Paper: "Theoretical Analysis". Arrivals of rate lambda per queue, exponential service of rate 1.
// Queue lengths are whole numbers, so a threshold T acts as floor(T).

#include <stdint.h>

struct drb_theory {
	double lambda;
	uint32_t threshold; // floor(T)
	uint32_t count;     // s[0..count), z[0..count); s_i below 1e-30 are left out
	double *s;          // fixed point: share of queues with at least i packets
	double *z;          // its bound: z_i = lambda z_{i-1} z_{i-T-1}
	// Doubly exponential decay: s_i <= lambda^(c alpha^i - 1), alpha^(T+1) = alpha^T + 1.
	double alpha, c;
	double mean_queue; // sum of s_i, i >= 1
	double mean_time;  // in system, by Little's law
	double redirected; // share of arrivals that leave their default queue
};

#define DRB_THEORY_THRESHOLD_MAX 1000

// 0; -EINVAL unless 0 < lambda < 1 and 0 <= threshold <= DRB_THEORY_THRESHOLD_MAX; -ENOMEM;
// -ERANGE if the iteration does not settle. The caller frees.
int drb_theory_solve(struct drb_theory *th, double lambda, double threshold);
void drb_theory_free(struct drb_theory *th);

struct drb_ctmc_setup {
	uint32_t queues; // n >= 2
	double lambda, threshold;
	double warm_up, time; // in mean service times: not measured, measured
	uint64_t seed;
};

#define DRB_CTMC_LEVELS 64

struct drb_ctmc_result {
	double s[DRB_CTMC_LEVELS]; // share of queues with at least i packets, averaged over time
	double mean_queue, mean_time, redirected;
	// Of the lengths of two queues at one time: from how much their sum varies.
	double correlation;
};

// Adds to s[i] the share of these queues that have at least i packets.
void drb_ctmc_add_shares(const uint32_t queue[], uint32_t queues, double s[DRB_CTMC_LEVELS]);

// The supermarket model by event simulation, every decision by drb_choose(). -EINVAL, -ENOMEM.
int drb_ctmc_run(const struct drb_ctmc_setup *setup, struct drb_ctmc_result *result);
