// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Transfers that begin at random: a Poisson process of transfers from a random host to another
// random host. Their sizes are drawn from a distribution, so that hosts send at `load` on average.
// A transfer begins even if earlier ones are not over.

#include "common/measures/latency.h"

#include "sim/flows/list.h"
#include "sim/flows/sizes.h"
#include "sim/flows/transfers.h"

struct drb_workload_setup {
	struct drb_transfers_setup transfers;
	const struct drb_sizes *sizes;
	double load;      // 0..1, packets per host and slot
	uint32_t slots;   // transfers that begin in slots warmup..slots - 1 are measured; others
	uint32_t warmup;  // begin until all measured ones are over
	uint32_t longest; // slots after which the run ends in any case
	bool same_source; // slowdowns compare with the same source alone (alone.h)
};

// Classes of sizes, by their largest size in packets of 1460 bytes: 100 kB and 10 MB.
#define DRB_SIZE_CLASSES 4 // all, and three
// Largest size of each class; [0]: of all.
extern const uint32_t drb_size_class_end[DRB_SIZE_CLASSES];

// A slowdown of 1, in the figures.
#define DRB_SLOWDOWN_ONE 1e6

struct drb_workload_result {
	struct {
		struct drb_latency time; // from beginning to completion, slots
		// Ratio to the time of the transfer alone, in DRB_SLOWDOWN_ONE.
		struct drb_latency slowdown;
	} of[DRB_SIZE_CLASSES];
	uint64_t begun, broken, unfinished; // measured transfers
	// Packets of all transfers: arrived, dropped, sent again.
	uint64_t packets, dropped, resent;
	struct drb_lost lost_to; // packets dropped, by cause
	uint64_t slots;
	// 0, or the error of drb_transfers_step() that ended the run. After an error, the figures
	// are those of the transfers that were over by then.
	int error;
};

// 0, the errors of drb_packet_new(), or -EINVAL if load or slots are out of range.
int drb_workload_run(const struct drb_workload_setup *setup, struct drb_workload_result *result);
// Adds the transfers of that run which begin in its first `slots` slots to the list.
int drb_workload_list(const struct drb_workload_setup *setup, struct drb_list *list);
