// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/job.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/job_rules.h"

// A job that runs.
struct running {
	const struct drb_job_setup *setup;
	const struct drb_job_rule *rule;
	struct drb_transfers *transfers;
	uint32_t ranks, steps;
	uint32_t *host, *rank; // of each rank, of each host
	uint32_t *step;        // [rank]: that it is in
	bool *sends;           // [rank]: its transfer of this step has not left it yet
	bool *came;            // [rank * steps + step]: what was sent to it in that step
	uint32_t *step_of;     // [transfer]
	uint64_t finish;       // of the last transfer that is over
	bool broken;
};

static bool may_begin(const struct running *j, uint32_t rank)
{
	uint32_t step = j->step[rank];
	const bool *came = j->came + (size_t)rank * j->steps;

	switch (j->rule->wait) {
	case DRB_WAIT_STEP_BEFORE:
		return step == 0 || came[step - 1];
	case DRB_WAIT_SAME_STEP:
		return rank == 0 || came[step];
	case DRB_WAIT_NOTHING:
		break;
	}
	return true;
}

// Begins the step that a rank is in, as soon as it may.
static void proceed(struct running *j, uint32_t rank, uint64_t start)
{
	uint32_t step = j->step[rank];

	if (step == j->steps || j->sends[rank] || !may_begin(j, rank))
		return;
	uint32_t dest = j->rule->dest(j->ranks, rank, step);
	if (dest == DRB_NO_RANK)
		return;
	int64_t i = drb_transfers_add(
		j->transfers,
		&(struct drb_transfer){.source = j->host[rank],
				       .dest = j->host[dest],
				       .size = j->rule->size(&j->setup->job, j->ranks, step),
				       .start = start});
	if (i < 0)
		return; // the next slot reports it
	j->step_of[i] = step;
	j->sends[rank] = true;
}

static void after_sending(void *context, uint32_t transfer)
{
	struct running *j = context;
	uint32_t rank = j->rank[j->transfers->transfer[transfer].source];

	j->sends[rank] = false;
	j->step[rank]++;
	proceed(j, rank, drb_transfers_slot(j->transfers) + 1);
}

static void after_arrival(void *context, uint32_t transfer)
{
	struct running *j = context;
	const struct drb_transfer *t = &j->transfers->transfer[transfer];
	uint32_t rank = j->rank[t->dest];

	j->broken |= t->finish == 0;
	j->finish = t->finish > j->finish ? t->finish : j->finish;
	j->came[(size_t)rank * j->steps + j->step_of[transfer]] = true;
	proceed(j, rank, drb_transfers_slot(j->transfers) + 1);
}

static uint64_t count_transfers(const struct running *j)
{
	uint64_t count = 0;

	for (uint32_t rank = 0; rank < j->ranks; rank++)
		count += j->rule->dest(j->ranks, rank, 0) != DRB_NO_RANK;
	return count * j->steps;
}

// What one rank sends in a step if no transfer ever waits on a link. times: when each rank may send again;
// when what it is sent arrives, in even steps and in odd ones. Returns when this arrives.
static uint64_t send_alone(const struct running *j, uint32_t step, uint32_t rank, uint64_t times[])
{
	size_t ranks = j->ranks;
	// Of the step before and of this one, taking turns.
	const uint64_t *before = times + (1 + (step + 1) % 2) * ranks;
	uint64_t *came = times + (1 + step % 2) * ranks, *free_at = times;
	uint32_t dest = j->rule->dest(j->ranks, rank, step);

	if (dest == DRB_NO_RANK)
		return 0;
	const struct drb_transfer t = {.source = j->host[rank],
				       .dest = j->host[dest],
				       .size = j->rule->size(&j->setup->job, j->ranks, step)};
	uint64_t wait = j->rule->wait == DRB_WAIT_STEP_BEFORE ? before[rank]
			: j->rule->wait == DRB_WAIT_SAME_STEP ? came[rank]
							      : 0;
	uint64_t start = wait > free_at[rank] ? wait : free_at[rank];

	free_at[rank] = start + t.size;
	came[dest] = start + drb_transfer_alone(&j->setup->transfers.tree, &t);
	return came[dest];
}

// Slots until all has arrived if no transfer ever waits on a link: step by step, rank by rank.
static int alone_of(const struct running *j, uint64_t *makespan)
{
	uint64_t *times = calloc(3 * (size_t)j->ranks, sizeof(*times));

	*makespan = 0;
	if (!times)
		return -ENOMEM;
	for (uint32_t step = 0; step < j->steps; step++) {
		for (uint32_t rank = 0; rank < j->ranks; rank++) {
			uint64_t at = send_alone(j, step, rank, times);
			*makespan = at > *makespan ? at : *makespan;
		}
	}
	free(times);
	return 0;
}

// Which rank is on which host.
static int place(struct running *j)
{
	const struct drb_job_setup *s = j->setup;
	struct drb_rng rng = drb_rng_seed(s->transfers.seed, 3);

	j->ranks = s->transfers.tree.hosts;
	j->steps = j->rule->steps(&s->job, j->ranks);
	j->host = malloc(j->ranks * sizeof(*j->host));
	j->rank = malloc(j->ranks * sizeof(*j->rank));
	if (!j->host || !j->rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->ranks; i++)
		j->host[i] = i;
	if (s->shuffled)
		drb_rng_permutation(&rng, j->host, j->ranks);
	for (uint32_t i = 0; i < j->ranks; i++)
		j->rank[j->host[i]] = i;
	return 0;
}

static int make(struct running *j)
{
	int rc = place(j);

	if (rc < 0)
		return rc;
	j->step = calloc(j->ranks, sizeof(*j->step));
	j->sends = calloc(j->ranks, sizeof(*j->sends));
	j->came = calloc((size_t)j->ranks * j->steps, sizeof(*j->came));
	j->step_of = calloc((size_t)j->ranks * j->steps, sizeof(*j->step_of));
	if (!j->step || !j->sends || !j->came || !j->step_of)
		return -ENOMEM;
	return drb_transfers_new(&j->transfers, &j->setup->transfers);
}

static void unmake(struct running *j)
{
	drb_transfers_free(j->transfers);
	free(j->host);
	free(j->rank);
	free(j->step);
	free(j->sends);
	free(j->came);
	free(j->step_of);
}

static int run(struct running *j, struct drb_job_result *result)
{
	struct drb_transfers *t = j->transfers;
	int rc = 0;

	t->on_sent = after_sending;
	t->on_over = after_arrival;
	t->context = j;
	result->transfers = count_transfers(j);
	for (uint32_t rank = 0; rank < j->ranks; rank++)
		proceed(j, rank, 0);
	while (rc == 0 && !j->broken && t->over < result->transfers &&
	       drb_transfers_slot(t) < j->setup->longest)
		rc = drb_transfers_step(t);
	result->failed = rc < 0;
	result->makespan = t->over == result->transfers && !j->broken ? j->finish : 0;
	result->packets = t->arrived;
	result->dropped = t->dropped;
	result->resent = t->resent;
	return alone_of(j, &result->alone);
}

int drb_job_run(const struct drb_job_setup *setup, struct drb_job_result *result)
{
	struct running j = {.setup = setup, .rule = &drb_job_rules[setup->job.kind]};
	int rc = drb_job_fits(&setup->job, setup->transfers.tree.hosts);

	*result = (struct drb_job_result){0};
	if (rc == 0)
		rc = make(&j);
	if (rc == 0)
		rc = run(&j, result);
	unmake(&j);
	return rc;
}

// A step's transfers. last: of each rank the transfer that it sent last; then those that were sent to it in
// even steps and in odd ones. DRB_LIST_NONE: none.
static int list_step(const struct running *j, uint32_t step, uint32_t last[], struct drb_list *list)
{
	size_t ranks = j->ranks;
	const uint32_t *before = last + (1 + (step + 1) % 2) * ranks;
	uint32_t *came = last + (1 + step % 2) * ranks;

	for (uint32_t rank = 0; rank < j->ranks; rank++)
		came[rank] = DRB_LIST_NONE;
	for (uint32_t rank = 0; rank < j->ranks; rank++) {
		uint32_t dest = j->rule->dest(j->ranks, rank, step), place = list->count;
		if (dest == DRB_NO_RANK)
			continue;
		const struct drb_listed t = {
			.source = j->host[rank],
			.dest = j->host[dest],
			.size = j->rule->size(&j->setup->job, j->ranks, step),
			.after_sent = last[rank],
			.after_arrived = j->rule->wait == DRB_WAIT_STEP_BEFORE ? before[rank]
					 : j->rule->wait == DRB_WAIT_SAME_STEP ? came[rank]
									       : DRB_LIST_NONE,
		};
		if (drb_list_add(list, &t) < 0)
			return -ENOMEM;
		last[rank] = came[dest] = place;
	}
	return 0;
}

static int list_steps(const struct running *j, struct drb_list *list)
{
	size_t count = 3 * (size_t)j->ranks;
	uint32_t *last = malloc(count * sizeof(*last));
	int rc = last ? 0 : -ENOMEM;

	for (size_t i = 0; last && i < count; i++)
		last[i] = DRB_LIST_NONE;
	for (uint32_t step = 0; rc == 0 && step < j->steps; step++)
		rc = list_step(j, step, last, list);
	free(last);
	return rc;
}

int drb_job_list(const struct drb_job_setup *setup, struct drb_list *list)
{
	struct running j = {.setup = setup, .rule = &drb_job_rules[setup->job.kind]};
	int rc = drb_job_fits(&setup->job, setup->transfers.tree.hosts);

	if (rc == 0)
		rc = place(&j);
	if (rc == 0)
		rc = list_steps(&j, list);
	unmake(&j);
	return rc;
}
