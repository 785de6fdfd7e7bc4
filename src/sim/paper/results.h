// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DIR/results.jsonl: all that `drbsim paper` computed, for topo/drbfabric/paper, which judges and draws it. A JSON
// object a line, by its "kind"; figures have all their digits, NaN is null. Any run of the same seed writes the same
// but for "cpu", seconds.
//   run              version, seed, what was asked for, and how many points are left
//   flow, packet, chain, layers, transient, bins, hosts    a point, in the order of the plan (points.h); without figures
//                    unless "done". "rate" is the paper's lambda. bins: the fullest bin of each throw
//   theory           a fixed point that chains or layers are compared with (sim/models/theory.h)
//   tree             the wiring of a fat-tree
//   heat             the queues of all links of a small fabric in one slot of a run

#include <stdio.h>

#include "sim/paper/paper.h"

// Writes the file, or dies.
void paper_results(const struct paper *p);

// All that determines the figures of a point: the first members of its line.
void paper_put_setup(FILE *f, const struct paper_point *point);

// What a model tells of a point, by its kind, and all of it that goes into the point.
union paper_result {
	struct drb_flow_summary flow;
	struct drb_packet_result packets;
	struct drb_ctmc_result chain;
	struct drb_ctmc_layers_result layers;
	double distance;
	double fullest[DRB_BINS_RUNS];
	struct paper_hosts_result hosts;
};
void paper_set_figures(struct paper_point *point, const union paper_result *r);

// The lines that are no points.
void paper_put_theory(const struct paper *p, FILE *f);
void paper_put_trees(FILE *f);
void paper_put_queues(const struct paper *p, FILE *f);

// Members of an object; a comma before all but the first, its kind. names: parted by spaces, of as many values.
void paper_put_kind(FILE *f, const char *kind);
void paper_put_text(FILE *f, const char *key, const char *value);
void paper_put_seed(FILE *f, uint64_t seed);
#define PAPER_PUT(f, names, ...) paper_put_values(f, names, (const double[]){__VA_ARGS__})
void paper_put_values(FILE *f, const char *names, const double value[]);
void paper_put_list(FILE *f, const char *key, const double value[], uint32_t count);
