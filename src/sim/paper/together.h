// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Points of `drbsim paper` that run together, since what is drawn for one of them serves all: schemes meet the same
// flows and packets.

#include "sim/paper/paper.h"

#define PAPER_TOGETHER 8 // at most

// An order of the points of a plan in which those that share their draws follow each other.
int paper_compare_draws(const struct paper_point *a, const struct paper_point *b);
bool paper_share_draws(const struct paper_point *a, const struct paper_point *b);

// Runs the models of some points, all of which share their draws; point->figures are filled in. 0, or what a model
// says: -ENOMEM, ...
int paper_run_points(struct paper_point *const point[], uint32_t count);
