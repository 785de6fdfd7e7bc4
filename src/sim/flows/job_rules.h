// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Senders, receivers, sizes and dependencies in each step of a job. Pure.

#include "sim/flows/job.h"

#define DRB_NO_RANK UINT32_MAX

enum drb_job_wait {
	DRB_WAIT_NOTHING,
	DRB_WAIT_STEP_BEFORE, // for all data that others send it in the step before
	DRB_WAIT_SAME_STEP,   // for all data that others send it in this step, from rank 1 on
};

// The rule of one kind of job. There are at least 2 ranks.
struct drb_job_rule {
	const char *name;
	uint32_t (*steps)(const struct drb_job *job, uint32_t ranks);
	// The rank that this rank sends to; DRB_NO_RANK if it does not send in this step.
	uint32_t (*dest)(uint32_t ranks, uint32_t rank, uint32_t step);
	uint32_t (*size)(const struct drb_job *job, uint32_t ranks, uint32_t step); // packets
	enum drb_job_wait wait;
};

extern const struct drb_job_rule drb_job_rules[DRB_JOB_COUNT];
