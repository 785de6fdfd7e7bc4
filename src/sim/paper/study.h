// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of traffic that persists: schemes side by side at many places, a place being a fabric under
// some traffic at some load, each with several seeds. Equal seeds give all schemes the same traffic.

#include "sim/paper/paper.h"
#include "sim/runs/sample.h"

#define PAPER_STUDIED_TREES 5
extern const uint32_t paper_studied[PAPER_STUDIED_TREES]
				   [2]; // the first of which the quick plan has

void paper_plan_study(struct paper *p);

// A scheme at a place.
struct paper_studied {
	uint32_t runs, growing; // 0 runs: it is not compared there
	// Of each run, and whether it is one of the full length.
	double latency[PAPER_SEEDS_MAX], tails[PAPER_SEEDS_MAX];
	bool full[PAPER_SEEDS_MAX];
	struct sim_sample mean, tail; // of all runs, or, if any grows, of those of the full length
};

struct paper_place {
	const struct drb_packet_setup *setup; // of one of its points
	struct paper_studied of[DRB_SCHEME_COUNT];
	// walk next to the best: of drb and micro the one of the lower mean latency whose queues
	// do not grow. DRB_SCHEME_COUNT: there is none, or walk's grow.
	enum drb_scheme best;
	struct sim_sample ratio; // of their latencies, seed by seed
};

// The next place all of whose points are done; false: there is none. *at: where to look, 0 at first.
bool paper_place_next(const struct paper *p, uint32_t *at, struct paper_place *place);

// What the places of a fabric say, up to load 0.9 or above it.
struct paper_verdict {
	uint32_t places;
	uint32_t grows[DRB_SCHEME_COUNT]; // places with any run that does
	uint32_t grows_alone;             // where walk's grow, but no run of micro
	uint32_t compared, within;        // ratios; those that are at most PAPER_NEAR
	struct paper_place worst;         // the largest of them; setup NULL: there is none
	// The largest mean ratios, 0 if there are none: mean and tail of walk to drb's for fresh
	// permutations, mean to dmodk's where no defaults collide.
	double fresh, fresh_tail, disjoint;
};
#define PAPER_NEAR 1.05

struct paper_verdict paper_verdict(const struct paper *p, const uint32_t tree[2], bool above);
