// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/list_run.h"

#include <errno.h>
#include <stdlib.h>

// What a transfer waits for.
enum { SENT, ARRIVED, EVENTS };

struct run {
	const struct drb_list *list;
	struct drb_transfers *transfers;
	uint32_t due;    // the first one whose slot has not come
	uint32_t *place; // [transfer]: in the list
	uint8_t *waits;  // [place]: for how many events
	// [place]: the last one of the list that waits for this event of it; the one before that waits for the same.
	uint32_t *waiting[EVENTS], *before[EVENTS];
	struct drb_list_result *result;
};

static uint32_t awaited(const struct drb_listed *t, int event)
{
	return event == SENT ? t->after_sent : t->after_arrived;
}

static int make(struct run *r)
{
	uint32_t count = r->list->count;

	r->place = malloc(count * sizeof(*r->place));
	r->waits = calloc(count, sizeof(*r->waits));
	if (!r->place || !r->waits)
		return -ENOMEM;
	for (int event = 0; event < EVENTS; event++) {
		r->waiting[event] = malloc(count * sizeof(uint32_t));
		r->before[event] = malloc(count * sizeof(uint32_t));
		if (!r->waiting[event] || !r->before[event])
			return -ENOMEM;
		for (uint32_t i = 0; i < count; i++)
			r->waiting[event][i] = DRB_LIST_NONE;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t of = awaited(&r->list->transfer[i], event);
			if (of == DRB_LIST_NONE)
				continue;
			r->waits[i]++;
			r->before[event][i] = r->waiting[event][of];
			r->waiting[event][of] = i;
		}
	}
	return 0;
}

static void unmake(struct run *r)
{
	drb_transfers_free(r->transfers);
	free(r->place);
	free(r->waits);
	for (int event = 0; event < EVENTS; event++) {
		free(r->waiting[event]);
		free(r->before[event]);
	}
}

// It may send from this slot on.
static void begin(struct run *r, uint32_t place, uint64_t slot)
{
	const struct drb_listed *t = &r->list->transfer[place];
	int64_t i = drb_transfers_add(r->transfers, &(struct drb_transfer){.source = t->source,
									   .dest = t->dest,
									   .size = t->size,
									   .start = slot});

	if (i < 0)
		return; // the next slot reports it
	r->place[i] = place;
	r->result->time[place].start = slot;
}

static void release(struct run *r, uint32_t transfer, int event)
{
	uint64_t next = drb_transfers_slot(r->transfers) + 1;

	for (uint32_t i = r->waiting[event][r->place[transfer]]; i != DRB_LIST_NONE;
	     i = r->before[event][i]) {
		uint64_t slot = r->list->transfer[i].slot;
		// Those whose slot has not come begin then.
		r->waits[i]--;
		if (i < r->due && r->waits[i] == 0)
			begin(r, i, slot > next ? slot : next);
	}
}

static void after_sending(void *context, uint32_t transfer)
{
	release(context, transfer, SENT);
}

static void after_arrival(void *context, uint32_t transfer)
{
	struct run *r = context;
	const struct drb_transfer *t = &r->transfers->transfer[transfer];
	struct drb_list_time *time = &r->result->time[r->place[transfer]];

	time->finish = t->finish;
	time->connected = t->connected;
	if (t->finish == 0)
		return; // it is broken
	r->result->finished++;
	release(r, transfer, ARRIVED);
}

// Those of the slot to come that wait for nothing.
static void begin_due(struct run *r)
{
	uint64_t slot = drb_transfers_slot(r->transfers);

	for (; r->due < r->list->count && r->list->transfer[r->due].slot <= slot; r->due++) {
		if (r->waits[r->due] == 0)
			begin(r, r->due, slot);
	}
}

static bool goes_on(const struct run *r, uint64_t longest)
{
	return (r->transfers->over < r->transfers->count || r->due < r->list->count) &&
	       drb_transfers_slot(r->transfers) < longest;
}

int drb_list_run(const struct drb_list_setup *setup, struct drb_list_result *result)
{
	struct run r = {.list = setup->list, .result = result};
	int rc = drb_transfers_new(&r.transfers, &setup->transfers);

	*result = (struct drb_list_result){.time = result->time};
	for (uint32_t i = 0; i < setup->list->count; i++)
		result->time[i] = (struct drb_list_time){0};
	if (rc == 0)
		rc = make(&r);
	if (rc < 0) {
		unmake(&r);
		return rc;
	}
	r.transfers->on_sent = after_sending;
	r.transfers->on_over = after_arrival;
	r.transfers->context = &r;
	for (begin_due(&r); rc == 0 && goes_on(&r, setup->longest); begin_due(&r))
		rc = drb_transfers_step(r.transfers);
	result->failed = rc < 0;
	result->packets = r.transfers->arrived;
	result->dropped = r.transfers->dropped;
	result->resent = r.transfers->resent;
	unmake(&r);
	return 0;
}
