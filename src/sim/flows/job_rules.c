// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/job_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/quantity.h"

static uint32_t share_of(const struct drb_job *job, uint32_t parts)
{
	return (job->data + parts - 1) / parts;
}

static uint32_t ring_steps(const struct drb_job *job, uint32_t ranks)
{
	(void)job;
	return 2 * (ranks - 1);
}

static uint32_t next_rank(uint32_t ranks, uint32_t rank, uint32_t step)
{
	(void)step;
	return (rank + 1) % ranks;
}

static uint32_t nth_size(const struct drb_job *job, uint32_t ranks, uint32_t step)
{
	(void)step;
	return share_of(job, ranks);
}

static uint32_t log2_of(uint32_t ranks)
{
	return 31 - (uint32_t)__builtin_clz(ranks);
}

static uint32_t halving_steps(const struct drb_job *job, uint32_t ranks)
{
	(void)job;
	return 2 * log2_of(ranks);
}

// Returns how many times the data are halved in a step: once more with each step of the first half,
// once less with each step of the second half.
static uint32_t halvings(uint32_t ranks, uint32_t step)
{
	uint32_t all = log2_of(ranks);

	return step < all ? step + 1 : 2 * all - step;
}

static uint32_t halving_dest(uint32_t ranks, uint32_t rank, uint32_t step)
{
	return rank ^ ranks >> halvings(ranks, step);
}

static uint32_t halving_size(const struct drb_job *job, uint32_t ranks, uint32_t step)
{
	return share_of(job, UINT32_C(1) << halvings(ranks, step));
}

static uint32_t all_to_all_steps(const struct drb_job *job, uint32_t ranks)
{
	(void)job;
	return ranks - 1;
}

static uint32_t all_to_all_dest(uint32_t ranks, uint32_t rank, uint32_t step)
{
	return (rank + 1 + step) % ranks;
}

static uint32_t one_step(const struct drb_job *job, uint32_t ranks)
{
	(void)job;
	(void)ranks;
	return 1;
}

static uint32_t first_rank(uint32_t ranks, uint32_t rank, uint32_t step)
{
	(void)ranks;
	(void)step;
	return rank ? 0 : DRB_NO_RANK;
}

static uint32_t whole_size(const struct drb_job *job, uint32_t ranks, uint32_t step)
{
	(void)ranks;
	(void)step;
	return job->data;
}

static uint32_t part_steps(const struct drb_job *job, uint32_t ranks)
{
	(void)ranks;
	return job->parts;
}

static uint32_t next_stage(uint32_t ranks, uint32_t rank, uint32_t step)
{
	(void)step;
	return rank + 1 < ranks ? rank + 1 : DRB_NO_RANK;
}

static uint32_t part_size(const struct drb_job *job, uint32_t ranks, uint32_t step)
{
	(void)ranks;
	(void)step;
	return share_of(job, job->parts);
}

const struct drb_job_rule drb_job_rules[DRB_JOB_COUNT] = {
	[DRB_JOB_RING] = {"all-reduce-ring", ring_steps, next_rank, nth_size, DRB_WAIT_STEP_BEFORE},
	[DRB_JOB_HALVING] = {"all-reduce-halving", halving_steps, halving_dest, halving_size,
			     DRB_WAIT_STEP_BEFORE},
	[DRB_JOB_ALL_TO_ALL] = {"all-to-all", all_to_all_steps, all_to_all_dest, nth_size,
				DRB_WAIT_NOTHING},
	[DRB_JOB_INCAST] = {"incast", one_step, first_rank, whole_size, DRB_WAIT_NOTHING},
	[DRB_JOB_PIPELINE] = {"pipeline", part_steps, next_stage, part_size, DRB_WAIT_SAME_STEP},
};

int drb_job_parse(const char *text, struct drb_job *job)
{
	size_t len = strcspn(text, ":");

	job->parts = 0;
	for (int i = 0; i < DRB_JOB_COUNT; i++) {
		const char *name = drb_job_rules[i].name;
		if (strlen(name) != len || strncmp(text, name, len) != 0)
			continue;
		job->kind = (enum drb_job_kind)i;
		if (i != DRB_JOB_PIPELINE)
			return text[len] ? -EINVAL : 0;
		return text[len] && drb_parse_u32(text + len + 1, 1, 1000000, &job->parts) == 0
			       ? 0
			       : -EINVAL;
	}
	return -EINVAL;
}

void drb_job_format(const struct drb_job *job, char text[DRB_JOB_NAME_MAX])
{
	const char *name = drb_job_rules[job->kind].name;

	if (job->kind == DRB_JOB_PIPELINE)
		snprintf(text, DRB_JOB_NAME_MAX, "%s:%u", name, job->parts);
	else
		snprintf(text, DRB_JOB_NAME_MAX, "%s", name);
}

int drb_job_fits(const struct drb_job *job, uint32_t ranks)
{
	bool power = (ranks & (ranks - 1)) == 0;

	return ranks < 2 || (job->kind == DRB_JOB_HALVING && !power) ? -ERANGE : 0;
}
