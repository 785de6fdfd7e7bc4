// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mean-field theory of threshold-based two-choice queues, and the Markov chain that it
// describes (paper: "Theoretical Analysis"). Arrivals have rate lambda per queue; service is
// exponential with rate 1. Queue lengths are whole numbers, so a threshold T acts as floor(T).

#include <stdint.h>

struct drb_theory {
	double lambda;
	uint32_t threshold; // floor(T)
	uint32_t count;     // entries of s and z; levels with s_i below 1e-30 are left out
	double *s;          // fixed point: share of queues with at least i packets
	double *z;          // its bound: z_i = lambda z_{i-1} z_{i-T-1}
	// Doubly exponential decay: s_i <= lambda^(c alpha^i - 1), alpha^(T+1) = alpha^T + 1.
	double alpha, c;
	double mean_queue; // sum of s_i, i >= 1
	double mean_time;  // in the system, by Little's law
	double redirected; // share of arrivals that leave their default queue
};

#define DRB_THEORY_THRESHOLD_MAX 1000

// 0; -EINVAL unless 0 < lambda < 1 and 0 <= threshold <= DRB_THEORY_THRESHOLD_MAX; -ENOMEM; or
// -ERANGE if the iteration does not settle. The caller calls drb_theory_free().
int drb_theory_solve(struct drb_theory *th, double lambda, double threshold);
void drb_theory_free(struct drb_theory *th);

struct drb_ctmc_setup {
	uint32_t queues; // n >= 2
	double lambda, threshold;
	double warm_up, time; // in mean service times: before measuring, while measuring
	uint64_t seed;
};

#define DRB_CTMC_LEVELS 64

struct drb_ctmc_result {
	double s[DRB_CTMC_LEVELS]; // share of queues with at least i packets, averaged over time
	double mean_queue, mean_time, redirected;
	// Correlation of the lengths of two queues at one time, from the variance of the sum of
	// all.
	double correlation;
};

// Adds to s[i] the share of these queues that have at least i packets.
void drb_ctmc_add_shares(const uint32_t queue[], uint32_t queues, double s[DRB_CTMC_LEVELS]);

// Simulates the supermarket model event by event; drb_choose() makes each decision. 0, -EINVAL or
// -ENOMEM.
int drb_ctmc_run(const struct drb_ctmc_setup *setup, struct drb_ctmc_result *result);
