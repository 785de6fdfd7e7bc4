// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jobs: all hosts exchange data step by step, and the job is done when the last packet has arrived.
// Hosts have ranks 0..n-1, by label or at random. Each rank holds `data` packets (at least one for
// each other rank). A rank begins a step when it has sent its data of the step before, and has
// received the data that the rule below names. There is no common barrier.
//
//   all-reduce-ring      2 (n - 1) steps: data / n to the next rank, after data / n of the step
//                        before have arrived
//   all-reduce-halving   recursive halving, then doubling: n a power of two
//   all-to-all           n - 1 steps: data / n to rank + 1, rank + 2, ..., without waiting
//   incast               all others send their data to rank 0 at once
//   pipeline:B           each rank sends data in B parts to the next one, as they come
// Algorithms: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
// MPICH", IJHPCA 2005.

#include "sim/flows/list.h"
#include "sim/flows/transfers.h"

enum drb_job_kind {
	DRB_JOB_RING,
	DRB_JOB_HALVING,
	DRB_JOB_ALL_TO_ALL,
	DRB_JOB_INCAST,
	DRB_JOB_PIPELINE,
	DRB_JOB_COUNT
};

struct drb_job {
	enum drb_job_kind kind;
	uint32_t parts; // pipeline only
	uint32_t data;  // packets
};

#define DRB_JOB_NAME_MAX 32

// 0, or -EINVAL if there is no such job.
int drb_job_parse(const char *text, struct drb_job *job);
void drb_job_format(const struct drb_job *job, char text[DRB_JOB_NAME_MAX]);
// 0, or -ERANGE if this number of ranks cannot run the job.
int drb_job_fits(const struct drb_job *job, uint32_t ranks);

struct drb_job_setup {
	struct drb_transfers_setup transfers;
	struct drb_job job;
	bool shuffled;    // ranks are assigned to hosts at random
	uint32_t longest; // slots after which the run ends in any case
};

struct drb_job_result {
	uint64_t makespan;  // slots until all packets have arrived; 0: some never did
	uint64_t alone;     // the same if no transfer ever waited for another one on a link
	uint64_t transfers; // transfers of the job
	uint64_t never;     // transfers that never arrived
	uint64_t packets, dropped, resent;
	uint64_t slots;          // that were simulated
	struct drb_lost lost_to; // packets dropped, by cause
	int error;               // as in struct drb_list_result
};

// 0, or the errors of drb_packet_new(), drb_job_fits() (-ERANGE) and drb_list_add() (-E2BIG).
int drb_job_run(const struct drb_job_setup *setup, struct drb_job_result *result);
// Slots until all transfers of a list have arrived, if no transfer ever waits on a link. 0 or
// -ENOMEM.
int drb_job_alone(const struct drb_transfers_setup *setup, const struct drb_list *list,
		  uint64_t *makespan);
// Adds the transfers of that run to an empty list, step by step. 0, or the errors of drb_job_fits()
// (-ERANGE) and drb_list_add().
int drb_job_list(const struct drb_job_setup *setup, struct drb_list *list);
