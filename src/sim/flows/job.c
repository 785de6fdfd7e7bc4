// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/job.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/job_rules.h"
#include "sim/flows/list_run.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

// A job while its transfers are being listed.
struct listing {
	const struct drb_job_setup *setup;
	const struct drb_job_rule *rule;
	uint32_t ranks;
	uint32_t *host; // [rank]
	// Three arrays of transfers by rank: the last transfer that the rank sent, then the last
	// transfers to the rank in even steps and in odd steps. DRB_LIST_NONE: no such transfer.
	uint32_t *last;
	struct drb_list *list;
};

static int listing_make(struct listing *l)
{
	struct drb_rng rng = drb_rng_seed(l->setup->transfers.seed, 3);
	size_t lasts = 3 * (size_t)l->ranks;

	l->host = malloc(l->ranks * sizeof(*l->host));
	l->last = malloc(lasts * sizeof(*l->last));
	if (!l->host || !l->last)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->ranks; i++)
		l->host[i] = i;
	if (l->setup->shuffled)
		drb_rng_permutation(&rng, l->host, l->ranks);
	for (size_t i = 0; i < lasts; i++)
		l->last[i] = DRB_LIST_NONE;
	return 0;
}

static int list_step(const struct listing *l, uint32_t step)
{
	size_t ranks = l->ranks;
	const uint32_t *before = l->last + (1 + (step + 1) % 2) * ranks;
	uint32_t *came = l->last + (1 + step % 2) * ranks;

	for (uint32_t rank = 0; rank < ranks; rank++)
		came[rank] = DRB_LIST_NONE;
	for (uint32_t rank = 0; rank < ranks; rank++) {
		uint32_t dest = l->rule->dest(l->ranks, rank, step), place = l->list->count;
		if (dest == DRB_NO_RANK)
			continue;
		const struct drb_listed t = {
			.source = l->host[rank],
			.dest = l->host[dest],
			.size = l->rule->size(&l->setup->job, l->ranks, step),
			.after_sent = l->last[rank],
			.after_arrived = l->rule->wait == DRB_WAIT_STEP_BEFORE ? before[rank]
					 : l->rule->wait == DRB_WAIT_SAME_STEP ? came[rank]
									       : DRB_LIST_NONE,
		};
		int rc = drb_list_add(l->list, &t);
		if (rc < 0)
			return rc;
		l->last[rank] = came[dest] = place;
	}
	return 0;
}

int drb_job_list(const struct drb_job_setup *setup, struct drb_list *list)
{
	struct listing l = {.setup = setup,
			    .rule = &drb_job_rules[setup->job.kind],
			    .ranks = setup->transfers.tree.hosts,
			    .list = list};
	int rc = drb_job_fits(&setup->job, l.ranks);

	if (rc < 0)
		return rc;
	rc = listing_make(&l);
	for (uint32_t step = 0; rc == 0 && step < l.rule->steps(&setup->job, l.ranks); step++)
		rc = list_step(&l, step);
	free(l.host);
	free(l.last);
	return rc;
}

int drb_job_alone(const struct drb_transfers_setup *setup, const struct drb_list *list,
		  uint64_t *makespan)
{
	struct {
		uint64_t sent, came;
	} *at = malloc(list->count * sizeof(*at));

	*makespan = 0;
	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct drb_listed *l = &list->transfer[i];
		const struct drb_transfer t = {
			.source = l->source, .dest = l->dest, .size = l->size};
		uint64_t sent = l->after_sent == DRB_LIST_NONE ? 0 : at[l->after_sent].sent;
		uint64_t came = l->after_arrived == DRB_LIST_NONE ? 0 : at[l->after_arrived].came;
		uint64_t start = LARGER(sent, came);
		at[i].sent = start + (uint64_t)l->size * drb_pace_of(&setup->pace, 1);
		at[i].came = start + drb_transfer_alone(setup, &t);
		*makespan = LARGER(*makespan, at[i].came);
	}
	free(at);
	return 0;
}

static int job_run(const struct drb_job_setup *setup, const struct drb_list *list,
		   struct drb_job_result *result)
{
	struct drb_list_setup s = {
		.transfers = setup->transfers, .list = list, .longest = setup->longest};
	struct drb_list_result r = {.time = calloc(list->count, sizeof(*r.time))};
	int rc = r.time ? drb_list_run(&s, &r) : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && r.finished == list->count && i < list->count; i++)
		result->makespan = LARGER(result->makespan, r.time[i].finish);
	result->transfers = list->count;
	result->never = list->count - r.finished;
	result->packets = r.packets;
	result->slots = r.slots;
	result->dropped = r.dropped;
	result->resent = r.resent;
	result->lost_to = r.lost_to;
	result->error = r.error;
	free(r.time);
	return rc;
}

int drb_job_run(const struct drb_job_setup *setup, struct drb_job_result *result)
{
	struct drb_list list = {0};
	int rc = drb_job_list(setup, &list);

	*result = (struct drb_job_result){0};
	if (rc == 0)
		rc = drb_job_alone(&setup->transfers, &list, &result->alone);
	if (rc == 0)
		rc = job_run(setup, &list, result);
	drb_list_free(&list);
	return rc;
}
