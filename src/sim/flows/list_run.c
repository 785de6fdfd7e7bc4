// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list_run.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/ethereal.h"

// The run ends after this many times the longest normal pause between arrivals.
#define QUIET 30

struct run {
	const struct drb_list *list;
	struct drb_transfers *transfers;
	struct drb_ways ways; // with DRB_HOSTS_ETHEREAL
	uint32_t *order;      // indices in the list, sorted by slot
	uint32_t due;         // index in `order` of the first transfer whose slot has not come
	uint64_t slot;        // the slot that has come
	uint32_t *place;      // [transfer]: index in the list
	uint32_t *waits;      // [place]: number of events that it waits for
	// [event][place]: the last waiter for this event of this transfer; DRB_LIST_NONE: none.
	uint32_t *waiting[DRB_LIST_EVENTS];
	struct waiter {
		uint32_t place, before; // before: the previous waiter for the same event
	} * waiter;
	uint32_t waiters;
	uint32_t *begun, begins; // transfers whose beginning was not yet reported to their waiters
	uint32_t *stay, stays;   // computations in progress: a heap, the first to end on top
	uint64_t arrived;        // packets, by slot `heard`
	// Last slot in which a packet arrived, the slot of some transfer was still to come, a
	// computation was in progress, or links could still fail or recover.
	uint64_t heard;
	uint64_t quiet;   // the run ends if more slots than this pass after `heard`
	uint64_t settled; // slot from which links neither fail nor recover
	struct drb_list_result *result;
};

static void wait_for(struct run *r, uint32_t place, uint32_t of, enum drb_list_event event)
{
	if (of == DRB_LIST_NONE)
		return;
	r->waits[place]++;
	r->waiter[r->waiters] = (struct waiter){place, r->waiting[event][of]};
	r->waiting[event][of] = r->waiters++;
}

static void note_waits(struct run *r)
{
	const struct drb_list *l = r->list;

	for (uint32_t i = 0; i < l->count; i++) {
		wait_for(r, i, l->transfer[i].after_sent, DRB_LIST_SENT);
		wait_for(r, i, l->transfer[i].after_arrived, DRB_LIST_ARRIVED);
	}
	for (uint32_t i = 0; i < l->waits; i++)
		wait_for(r, l->wait[i].place, l->wait[i].of, l->wait[i].event);
}

static int by_slot(const void *a, const void *b, void *list)
{
	const struct drb_listed *t = ((const struct drb_list *)list)->transfer;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return t[x].slot != t[y].slot ? (t[x].slot > t[y].slot) - (t[x].slot < t[y].slot)
				      : (x > y) - (x < y);
}

static int run_make(struct run *r)
{
	uint32_t count = r->list->count;

	r->order = malloc(count * sizeof(*r->order));
	r->place = malloc(count * sizeof(*r->place));
	r->waits = calloc(count, sizeof(*r->waits));
	r->begun = malloc(count * sizeof(*r->begun));
	r->stay = malloc(count * sizeof(*r->stay));
	r->waiter = malloc((2 * (size_t)count + r->list->waits) * sizeof(*r->waiter));
	if (!r->order || !r->place || !r->waits || !r->begun || !r->stay || !r->waiter)
		return -ENOMEM;
	for (int event = 0; event < DRB_LIST_EVENTS; event++) {
		r->waiting[event] = malloc(count * sizeof(uint32_t));
		if (!r->waiting[event])
			return -ENOMEM;
		for (uint32_t i = 0; i < count; i++)
			r->waiting[event][i] = DRB_LIST_NONE;
	}
	note_waits(r);
	for (uint32_t i = 0; i < count; i++)
		r->order[i] = i;
	qsort_r(r->order, count, sizeof(*r->order), by_slot, (void *)(uintptr_t)r->list);
	return 0;
}

static void unmake(struct run *r)
{
	drb_transfers_free(r->transfers);
	drb_ways_free(&r->ways);
	free(r->order);
	free(r->place);
	free(r->waits);
	free(r->begun);
	free(r->stay);
	free(r->waiter);
	for (int event = 0; event < DRB_LIST_EVENTS; event++)
		free(r->waiting[event]);
}

// The transfer may send from this slot on.
static void transfer_begin(struct run *r, uint32_t place, uint64_t slot)
{
	const struct drb_listed *t = &r->list->transfer[place];

	r->result->time[place].start = slot;
	if (drb_listed_stays(t) || r->waiting[DRB_LIST_BEGUN][place] != DRB_LIST_NONE)
		r->begun[r->begins++] = place;
	if (drb_listed_stays(t))
		return;
	int64_t i = drb_transfers_add(r->transfers, &(struct drb_transfer){.source = t->source,
									   .dest = t->dest,
									   .size = t->size,
									   .place = place,
									   .start = slot});
	if (i >= 0) // otherwise the next slot reports the error
		r->place[i] = place;
}

// Begins the transfers that wait only for this event and whose slot has come. Others begin in their
// slot.
static void waiters_release(struct run *r, uint32_t place, enum drb_list_event event, uint64_t slot)
{
	for (uint32_t i = r->waiting[event][place]; i != DRB_LIST_NONE; i = r->waiter[i].before) {
		uint32_t other = r->waiter[i].place;
		r->waits[other]--;
		if (r->list->transfer[other].slot <= r->slot && r->waits[other] == 0)
			transfer_begin(r, other, slot);
	}
	r->waiting[event][place] = DRB_LIST_NONE;
}

static uint64_t next_slot(const struct run *r)
{
	return drb_transfers_slot(r->transfers) + 1;
}

static void after_sending(void *context, uint32_t transfer)
{
	struct run *r = context;

	waiters_release(r, r->place[transfer], DRB_LIST_SENT, next_slot(r));
}

static void after_arrival(void *context, uint32_t transfer)
{
	struct run *r = context;

	waiters_release(r, r->place[transfer], DRB_LIST_ARRIVED, next_slot(r));
}

static void after_end(void *context, uint32_t transfer)
{
	struct run *r = context;
	const struct drb_transfer *t = &r->transfers->transfer[transfer];
	struct drb_list_time *time = &r->result->time[r->place[transfer]];

	time->finish = t->finish;
	time->connected = t->connected;
	if (t->finish == 0)
		return; // the transfer is broken
	time->ended = true;
	r->result->finished++;
	waiters_release(r, r->place[transfer], DRB_LIST_KNOWN, next_slot(r));
}

static uint64_t end_of(const struct run *r, uint32_t place)
{
	return r->result->time[place].start + r->list->transfer[place].size;
}

static bool ends_before(const struct run *r, uint32_t a, uint32_t b)
{
	const uint64_t x = end_of(r, a), y = end_of(r, b);

	return x != y ? x < y : a < b;
}

static void push_stay(struct run *r, uint32_t place)
{
	uint32_t at = r->stays++;

	for (; at && ends_before(r, place, r->stay[(at - 1) / 2]); at = (at - 1) / 2)
		r->stay[at] = r->stay[(at - 1) / 2];
	r->stay[at] = place;
}

static uint32_t pop_stay(struct run *r)
{
	const uint32_t top = r->stay[0], last = r->stay[--r->stays];
	uint32_t at = 0;

	for (uint32_t below = 1; below < r->stays; below = 2 * at + 1) {
		if (below + 1 < r->stays && ends_before(r, r->stay[below + 1], r->stay[below]))
			below++;
		if (!ends_before(r, r->stay[below], last))
			break;
		r->stay[at] = r->stay[below];
		at = below;
	}
	r->stay[at] = last;
	return top;
}

static void tell_begun(struct run *r)
{
	for (uint32_t i = 0; i < r->begins; i++) {
		uint32_t place = r->begun[i];
		waiters_release(r, place, DRB_LIST_BEGUN, r->result->time[place].start);
		if (drb_listed_stays(&r->list->transfer[place]))
			push_stay(r, place);
	}
	r->begins = 0;
}

// Reports transfers that have begun to their waiters, and ends computations that are over by this
// slot.
static void end_stays(struct run *r, uint64_t slot)
{
	tell_begun(r);
	while (r->stays && end_of(r, r->stay[0]) <= slot) {
		uint32_t place = pop_stay(r);
		struct drb_list_time *time = &r->result->time[place];
		time->connected = time->start;
		time->finish = end_of(r, place);
		time->ended = true;
		r->result->finished++;
		waiters_release(r, place, DRB_LIST_SENT, slot);
		waiters_release(r, place, DRB_LIST_ARRIVED, slot);
		waiters_release(r, place, DRB_LIST_KNOWN, slot);
		tell_begun(r);
	}
}

// Begins the transfers of the next slot that wait for nothing.
static void begin_due(struct run *r)
{
	const struct drb_listed *t = r->list->transfer;

	r->slot = drb_transfers_slot(r->transfers);
	for (; r->due < r->list->count && t[r->order[r->due]].slot <= r->slot; r->due++) {
		if (r->waits[r->order[r->due]] == 0)
			transfer_begin(r, r->order[r->due], r->slot);
	}
	end_stays(r, r->slot);
}

// The number of slots without arrivals that is normal with windows. Lost packets are sent again,
// and cross slow links.
static uint64_t silence_of(const struct drb_transfers_setup *s)
{
	const struct drb_transfer far = {.dest = s->tree.hosts - 1, .size = 1};

	return s->timeout + s->slow.slots + drb_faults_pace(&s->faults) +
	       drb_transfer_alone(s, &far) + drb_transfer_answer(s, &far);
}

// True if all remaining transfers have begun, and none of their packets arrives: they have no path.
static bool is_stuck(struct run *r)
{
	const uint64_t slot = drb_transfers_slot(r->transfers);

	if (r->transfers->arrived != r->arrived || r->due < r->list->count || r->stays ||
	    slot < r->settled) {
		r->arrived = r->transfers->arrived;
		r->heard = slot;
	}
	return slot - r->heard > r->quiet;
}

static bool goes_on(struct run *r, uint64_t longest)
{
	return !is_stuck(r) &&
	       (r->transfers->over < r->transfers->count || r->due < r->list->count || r->stays) &&
	       drb_transfers_slot(r->transfers) < longest;
}

int drb_list_run(const struct drb_list_setup *setup, struct drb_list_result *result)
{
	struct run r = {.list = setup->list,
			.settled = drb_faults_settle(&setup->transfers.faults),
			.result = result};
	struct drb_transfers_setup transfers = setup->transfers;
	int rc = 0;

	if (transfers.hosts == DRB_HOSTS_ETHEREAL)
		rc = drb_ethereal_split(&transfers.tree, setup->list, &r.ways);
	transfers.ways = &r.ways;
	if (rc == 0)
		rc = drb_transfers_new(&r.transfers, &transfers);
	*result = (struct drb_list_result){.time = result->time};
	for (uint32_t i = 0; i < setup->list->count; i++)
		result->time[i] = (struct drb_list_time){0};
	if (rc == 0)
		rc = run_make(&r);
	if (rc < 0) {
		unmake(&r);
		return rc;
	}
	r.quiet = QUIET * silence_of(&r.transfers->setup); // with the defaults
	r.transfers->on_sent = after_sending;
	r.transfers->on_arrived = after_arrival;
	r.transfers->on_over = after_end;
	r.transfers->context = &r;
	for (begin_due(&r); rc == 0 && goes_on(&r, setup->longest); begin_due(&r))
		rc = drb_transfers_step(r.transfers);
	result->error = rc;
	result->packets = r.transfers->arrived;
	result->slots = drb_transfers_slot(r.transfers);
	result->dropped = r.transfers->dropped;
	result->resent = r.transfers->resent;
	result->marked = r.transfers->marked;
	result->lost_to = r.transfers->sim->lost_to;
	rc = drb_transfers_list_links(r.transfers);
	unmake(&r);
	return rc;
}
