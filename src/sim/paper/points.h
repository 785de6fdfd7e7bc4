// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The points of `drbsim paper`: one run of a model each, its parameters and its figures.

#include "sim/paper/paper.h"
#include "sim/runs/sample.h"

extern const uint32_t paper_trees[2][2]; // F(3,24) and F(4,12)

// Schemes of the paper's figures, its own first; a threshold of 0 is plain two-choice against the
// default.
struct paper_line {
	enum drb_scheme scheme;
	bool plain;
};
#define PAPER_LINES 5
#define PAPER_LINE_DMODK 4
extern const struct paper_line paper_lines[PAPER_LINES];
// Schemes of the study of traffic that persists.
#define PAPER_STUDIED_SCHEMES 5
extern const enum drb_scheme paper_studied_scheme[PAPER_STUDIED_SCHEMES];

// Loads of the paper's experiment with packets.
#define PAPER_RHOS 14
double paper_rho(uint32_t i);

// One more point, all of whose parameters are the caller's to set; valid until the next.
struct paper_point *paper_add(struct paper *p, enum paper_kind kind);
// One more point of the packet model, to be changed by its study; valid until the next.
struct paper_point *paper_add_packets(struct paper *p, const uint32_t tree[2],
				      enum drb_scheme scheme, double rho, const char *traffic);

// What the report needs of a simulated chain of queues.
#define PAPER_CHAIN_LEVELS 16
#define PAPER_CHAIN_QUEUES 1000 // of all chains but those that tell what fewer queues do
struct paper_chain {
	double mean_queue, mean_time, redirected;
	double s[PAPER_CHAIN_LEVELS + 1]; // share of queues with at least i packets
};

// Of one layer of uplinks in continuous time.
struct paper_layer {
	double mean_queue, distance, departures_cv2;
};

// Figures into point->value and back.
void paper_set_flow_summary(struct paper_point *point, const struct drb_flow_summary *s);
void paper_set_packet_result(struct paper_point *point, const struct drb_packet_result *r);
void paper_set_ctmc_result(struct paper_point *point, const struct drb_ctmc_result *r);
void paper_set_layers_result(struct paper_point *point, const struct drb_ctmc_layers_result *r);
struct drb_flow_summary paper_flow_summary(const struct paper_point *point);
struct drb_packet_result paper_packet_result(const struct paper_point *point);
struct paper_chain paper_chain(const struct paper_point *point);
// 1 <= m < point->layers.layers <= PAPER_LAYERS_MAX
struct paper_layer paper_layer(const struct paper_point *point, uint32_t m);

// "drb", "drb T=0", "micro", ...
const char *paper_line_label(struct paper_line line);
const char *paper_label(const struct paper_point *point);

// Which point of the packet model.
struct paper_where {
	enum paper_study study;
	const uint32_t *tree; // layers, arity
	const char *traffic, *label;
	double rho;
};

// The first of its runs; NULL if there is none.
const struct paper_point *paper_find_packet(const struct paper *p, const struct paper_where *at);
const struct paper_point *paper_find_flow(const struct paper *p, const uint32_t tree[2],
					  const char *label, uint32_t flows);

// The runs of a point of the paper's experiment with packets.
struct paper_runs {
	char where[64]; // "F(3,24), drb, rho = 0.90"
	uint32_t count; // 0: there is no such point
	struct drb_packet_result result[PAPER_SEEDS_MAX];
};
struct paper_runs paper_runs_of(const struct paper *p, const uint32_t tree[2], const char *label,
				double rho);
// The runs of a chain of queues, which follow each other in the plan.
struct paper_chain_runs {
	const struct drb_ctmc_setup *setup; // of the first
	struct sim_sample queue, redirected, s[PAPER_CHAIN_LEVELS + 1];
};
// The next chain at or behind point *at, which goes behind it; false: there is none.
bool paper_chain_next(const struct paper *p, uint32_t *at, struct paper_chain_runs *runs);
// The runs of a tree in continuous time, likewise.
struct paper_layers_runs {
	const struct drb_ctmc_layers_setup *setup; // of the first
	// Of layer m.
	struct sim_sample queue[PAPER_LAYERS_MAX], distance[PAPER_LAYERS_MAX],
		departures_cv2[PAPER_LAYERS_MAX];
};
bool paper_layers_next(const struct paper *p, uint32_t *at, struct paper_layers_runs *runs);
