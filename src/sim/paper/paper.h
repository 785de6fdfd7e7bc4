// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// `drbsim paper`: the runs of all models that the report needs, and what is known of each.

#include <stdbool.h>
#include <stdint.h>

#include "sim/models/bins.h"
#include "sim/models/ctmc_layers.h"
#include "sim/models/flow.h"
#include "sim/models/packet.h"
#include "sim/models/theory.h"
#include "sim/models/transient.h"
#include "sim/paper/hosts.h"
#include "sim/runs/options.h"

enum paper_kind {
	PAPER_FLOW,
	PAPER_PACKET,
	PAPER_CTMC,
	PAPER_CTMC_LAYERS,
	PAPER_TRANSIENT,
	PAPER_BINS,
	PAPER_HOSTS
};
// Who gives flows their paths: each switch by the scheme of the setup, or who sees all links.
enum paper_paths { PAPER_BY_SCHEME, PAPER_BY_PATH, PAPER_OPTIMAL };
// Whose packet model a point is of.
enum paper_study { PAPER_ITSELF, PAPER_PERSISTENT, PAPER_FAULTS };

#define PAPER_SEEDS_MAX 32
#define PAPER_PATH_MAX 4096
#define PAPER_FIGURES 1280 // bytes

struct paper_point {
	enum paper_kind kind;
	enum paper_study study; // packets
	bool paper_t;           // threshold is the paper's, not set
	struct drb_flow_setup flow;
	uint32_t runs;
	enum paper_paths paths; // of flows
	bool worst;             // flows are D-mod-k's worst permutation, not c random ones
	struct drb_packet_setup packet;
	struct drb_ctmc_setup ctmc;
	struct drb_ctmc_layers_setup layers;
	struct drb_transient_setup transient;
	struct drb_bins_setup bins;
	struct paper_hosts hosts;
	bool done;
	char figures[PAPER_FIGURES]; // once it is done: members of its line in results.jsonl
	double cpu;                  // seconds its run took
	double dead; // the share of links or switches that was asked for, of the study of faults
};

struct paper {
	struct sim_common common;
	bool quick, longer;
	// Runs of each point of the studies and of the paper's own, at most PAPER_SEEDS_MAX.
	uint32_t seeds, own_seeds;
	const char *part; // do this one alone; NULL: all
	const char *dir;
	struct paper_point *point;
	uint32_t points, room;
};
