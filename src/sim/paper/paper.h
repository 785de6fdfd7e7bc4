// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `drbsim paper`: the plan of all runs, running what is missing, and what is written of them.

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/runs/rows.h"
#include "sim/runs/sim.h"
#include "sim/models/theory.h"

enum paper_kind { PAPER_FLOW, PAPER_PACKET, PAPER_CTMC };
// Whose packet model a point is of.
enum paper_study { PAPER_ITSELF, PAPER_PERSISTENT, PAPER_FAULTS };

// Figures of one point, by kind: struct drb_flow_summary; struct drb_packet_result; mean queue,
// mean time and redirected share of the chain.
#define PAPER_LAYERS_MAX 4
#define PAPER_VALUES (7 + 4 * PAPER_LAYERS_MAX)

struct paper_point {
	enum paper_kind kind;
	enum paper_study study; // packets
	bool paper_t;           // threshold is the paper's, not set
	struct drb_flow_setup flow;
	uint32_t runs;
	struct drb_packet_setup packet;
	struct drb_ctmc_setup ctmc;
	bool done;
	double value[PAPER_VALUES];
	double cpu; // seconds its run took
};

struct paper {
	struct sim_common common;
	bool quick;
	char *dir;
	struct paper_point *point;
	uint32_t points, room;
	bool plots; // gnuplot is there
};

extern const uint32_t paper_trees[2][2];   // F(3,24) and F(4,12)
extern const uint32_t paper_studied[3][2]; // F(3,8), F(3,24), F(4,6)

// Fills the plan.
void paper_plan(struct paper *p);
// One more point of the packet model, to be changed by its study; valid until the next.
struct paper_point *paper_add_packets(struct paper *p, const uint32_t tree[2],
				      enum drb_scheme scheme, double rho, const char *traffic);
// Runs what the journal in the directory does not hold yet, adding to it.
void paper_run(struct paper *p);
// Results back from point->value.
struct drb_flow_summary paper_flow_summary(const struct paper_point *point);
struct drb_packet_result paper_packet_result(const struct paper_point *point);

// "drb", "drb T=0", "micro", ...
const char *paper_label(const struct paper_point *point);

// Opens DIR/name for writing, or dies.
FILE *paper_open(const struct paper *p, const char *name);
void paper_close(const struct paper *p, FILE *f, const char *name);

// About how long a point takes, in packets that cross a link.
double paper_estimate(const struct paper_point *point);

// What the points of one part took.
#define PAPER_COSTS 12
#define PAPER_COST_NAME 32
struct paper_cost {
	char name[PAPER_COST_NAME];
	uint32_t points;
	double cpu, longest; // seconds, of all and of one
};

// Returns how many parts there are.
uint32_t paper_costs(const struct paper *p, struct paper_cost cost[PAPER_COSTS]);
// Into the report and into DIR/cost.csv, which unlike the other files differs from run to run.
void paper_report_cost(const struct paper *p, FILE *f);

void paper_csv(const struct paper *p);
// Draws DIR/*.svg; clears p->plots, with a warning, if gnuplot is missing.
void paper_plots(struct paper *p);
void paper_html(const struct paper *p);
// Puts DIR/name.svg into a page, if there is one.
void paper_image(const struct paper *p, FILE *out, const char *name);

// Smallest load of the study at which the queues grow; NaN if at none. *largest: largest simulated.
double paper_breaks_at(const struct paper *p, const uint32_t tree[2], struct drb_traffic_kind kind,
		       enum drb_scheme scheme, double *largest);
// NULL if there is none.
const struct paper_point *paper_find_packet(const struct paper *p, enum paper_study study,
					    const uint32_t tree[2], const char *traffic,
					    const char *label, double rho);
const struct paper_point *paper_find_flow(const struct paper *p, const uint32_t tree[2],
					  const char *label, uint32_t flows);

// The study of what is dead: mean figures of the draws with one share of dead links or switches.
#define PAPER_FAULT_SHARES 8
#define PAPER_FAULT_LOADS 2
#define PAPER_FAULT_SCHEMES 4

struct paper_fault {
	uint32_t dead;
	double share;
	uint32_t runs, growing; // runs: 0 if there is no such point
	double latency, tail, lost;
};

extern const enum drb_scheme paper_fault_scheme[PAPER_FAULT_SCHEMES];

void paper_plan_faults(struct paper *p);
// load: number of one of the loads; i: of one of the shares, rising from none.
struct paper_fault paper_fault(const struct paper *p, enum drb_scheme scheme, uint32_t load,
			       bool switches, uint32_t i);
void paper_html_faults(const struct paper *p, FILE *f);
