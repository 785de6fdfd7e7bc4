// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of dead links and switches on F(3,8): means over draws with one share of them dead.

#include "sim/paper/paper.h"
#include "sim/runs/sample.h"

#define PAPER_FAULT_SHARES 8
#define PAPER_FAULT_LOADS 2
#define PAPER_FAULT_SCHEMES 4

extern const double paper_fault_share[PAPER_FAULT_SHARES]; // rising from 0
extern const double paper_fault_load[PAPER_FAULT_LOADS];
extern const enum drb_scheme paper_fault_scheme[PAPER_FAULT_SCHEMES];

struct paper_fault {
	uint32_t dead;
	double share;
	uint32_t runs, growing; // runs: 0 if there is no such point
	double latency, tail, lost;
	struct sim_sample of_latency, of_tail, of_lost; // over the draws; lost in %
};

void paper_plan_faults(struct paper *p);
// load, i: index of a load and of a share.
struct paper_fault paper_fault(const struct paper *p, enum drb_scheme scheme, uint32_t load,
			       bool switches, uint32_t i);
