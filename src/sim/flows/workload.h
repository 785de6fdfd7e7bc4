// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Transfers that begin at random: a Poisson process, each from a random host to a random other one, of a
// size drawn from a distribution, so that hosts send at `load` on average. They begin whether those before
// them are done or not.

#include "common/measures/latency.h"

#include "sim/flows/list.h"
#include "sim/flows/sizes.h"
#include "sim/flows/transfers.h"

struct drb_workload_setup {
	struct drb_transfers_setup transfers;
	const struct drb_sizes *sizes;
	double load;      // 0..1, packets per host and slot
	uint32_t slots;   // transfers that begin in slots warmup..slots - 1 are measured; others
	uint32_t warmup;  // go on beginning until those are over
	uint32_t longest; // the run ends after so many slots in any case
};

// Sizes that are told apart, up to so many packets: of 1460 bytes, 100 kB and 10 MB.
#define DRB_SIZE_CLASSES 4                                  // all, and three
extern const uint32_t drb_size_class_end[DRB_SIZE_CLASSES]; // the largest of each; [0]: of any

// A slowdown of 1, in the figures.
#define DRB_SLOWDOWN_ONE 1e6

struct drb_workload_result {
	struct {
		struct drb_latency time;     // from beginning to completion, slots
		struct drb_latency slowdown; // by how much longer than alone, in DRB_SLOWDOWN_ONE
	} of[DRB_SIZE_CLASSES];
	uint64_t begun, broken, unfinished; // measured transfers
	uint64_t packets, dropped, resent;  // of all: that arrived, were dropped, were sent again
	uint64_t slots;
	bool failed; // memory ran out: the figures are of what was over by then
};

// 0; or as drb_packet_new(), -EINVAL if load or slots are out of range.
int drb_workload_run(const struct drb_workload_setup *setup, struct drb_workload_result *result);
// The transfers of that run which begin in its first `slots` slots, added to the list: the same ones.
int drb_workload_list(const struct drb_workload_setup *setup, struct drb_list *list);
