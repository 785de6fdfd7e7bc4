// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Jobs: all hosts exchange data step by step, and the job is done when the last of it has arrived. Hosts
// have ranks 0..n-1, by label or at random. Each rank holds `data` packets (at least one for each other
// rank). A rank begins a step when it has sent what it sends in the step before and has received what
// that step's own rule says; there is no common barrier.
//
//   all-reduce-ring      2 (n - 1) steps: data / n to the next rank, once that of the step before came
//   all-reduce-halving   recursive halving, then doubling: n a power of two
//   all-to-all           n - 1 steps: data / n to rank + 1, rank + 2, ...; nothing to wait for
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
	uint32_t parts; // of pipeline
	uint32_t data;  // packets
};

#define DRB_JOB_NAME_MAX 32

// -EINVAL if there is no such job.
int drb_job_parse(const char *text, struct drb_job *job);
void drb_job_format(const struct drb_job *job, char text[DRB_JOB_NAME_MAX]);
// -ERANGE if this number of ranks cannot do it.
int drb_job_fits(const struct drb_job *job, uint32_t ranks);

struct drb_job_setup {
	struct drb_transfers_setup transfers;
	struct drb_job job;
	bool shuffled;    // ranks are dealt to hosts at random
	uint32_t longest; // slots, after which the run ends in any case
};

struct drb_job_result {
	uint64_t makespan;  // slots until all has arrived; 0: it did not
	uint64_t alone;     // the same, if no transfer ever waited for another one on a link
	uint64_t transfers; // that the job has, or the parts that hosts split them into
	uint64_t never;     // of these, that did not arrive
	uint64_t packets, dropped, resent;
	bool failed; // memory ran out
};

// 0, or as drb_packet_new(); -ERANGE as drb_job_fits(), -E2BIG as drb_list_add().
int drb_job_run(const struct drb_job_setup *setup, struct drb_job_result *result);
// Slots until all of a list has arrived if no transfer ever waits on a link. -ENOMEM.
int drb_job_alone(const struct drb_transfers_setup *setup, const struct drb_list *list,
		  uint64_t *makespan);
// The transfers of that run, step by step, added to an empty list. 0; -ERANGE as drb_job_fits(); as drb_list_add().
int drb_job_list(const struct drb_job_setup *setup, struct drb_list *list);
