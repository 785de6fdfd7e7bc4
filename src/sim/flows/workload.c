// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/workload.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sim/flows/alone.h"

const uint32_t drb_size_class_end[DRB_SIZE_CLASSES] = {UINT32_MAX, 68, 6849, UINT32_MAX};

// Draws transfers in the order in which they begin.
struct draws {
	const struct drb_workload_setup *setup;
	struct drb_rng rng;
	double next, pause; // when the next one begins, mean time between two; slots
};

struct workload {
	const struct drb_workload_setup *setup;
	struct drb_transfers *transfers;
	struct draws draws;
	struct drb_alone alone;
	// The first measured transfer, the number of measured ones, and the number of measured ones
	// that are over.
	uint32_t first, measured, over;
};

static bool is_valid(const struct drb_workload_setup *s)
{
	return s->load > 0 && s->load <= 1 && s->warmup < s->slots;
}

static struct draws draws_of(const struct drb_workload_setup *s)
{
	struct draws d = {.setup = s, .rng = drb_rng_seed(s->transfers.seed, 2)};

	d.pause = drb_sizes_mean(s->sizes) * drb_pace_of(&s->transfers.pace, 1) /
		  (s->load * s->transfers.tree.hosts);
	d.next = -d.pause * log1p(-drb_rng_unit(&d.rng));
	return d;
}

// Draws the next transfer, if it begins in this slot.
static bool draw(struct draws *d, uint64_t slot, struct drb_transfer *t)
{
	uint32_t hosts = d->setup->transfers.tree.hosts;

	if (d->next >= (double)(slot + 1))
		return false;
	*t = (struct drb_transfer){.source = drb_rng_below(&d->rng, hosts), .start = slot};
	t->dest = (t->source + 1 + drb_rng_below(&d->rng, hosts - 1)) % hosts;
	t->size = drb_sizes_draw(d->setup->sizes, &d->rng);
	d->next -= d->pause * log1p(-drb_rng_unit(&d->rng));
	return true;
}

int drb_workload_list(const struct drb_workload_setup *setup, struct drb_list *list)
{
	struct drb_transfer t;

	if (!is_valid(setup))
		return -EINVAL;
	struct draws draws = draws_of(setup);
	for (uint32_t slot = 0; slot < setup->slots; slot++) {
		while (draw(&draws, slot, &t)) {
			const struct drb_listed listed = {slot,   t.source,      t.dest,
							  t.size, DRB_LIST_NONE, DRB_LIST_NONE};
			int rc = drb_list_add(list, &listed);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

// Begins the transfers of the next slot.
static int slot_begin(struct workload *w)
{
	const struct drb_workload_setup *s = w->setup;
	uint64_t slot = drb_transfers_slot(w->transfers);
	struct drb_transfer t;

	while (draw(&w->draws, slot, &t)) {
		int64_t i = drb_transfers_add(w->transfers, &t);
		if (i < 0)
			return -ENOMEM;
		if (slot < s->warmup)
			w->first = (uint32_t)i + 1;
		else if (slot < s->slots)
			w->measured++;
	}
	return 0;
}

static void count_over(void *context, uint32_t transfer)
{
	struct workload *w = context;

	w->over += transfer >= w->first && transfer - w->first < w->measured;
}

static bool goes_on(const struct workload *w)
{
	uint64_t slot = drb_transfers_slot(w->transfers);

	return slot < w->setup->slots || (w->over < w->measured && slot < w->setup->longest);
}

static bool is_of(const struct drb_transfer *t, int class)
{
	uint32_t above = class < 2 ? 0 : drb_size_class_end[class - 1];

	return t->size > above && t->size <= drb_size_class_end[class];
}

// Times and slowdowns of a class; both samples have space for all measured transfers. 0 or -ENOMEM.
static int sum_up(struct workload *w, int class, uint64_t *const sample[2],
		  struct drb_workload_result *r)
{
	size_t n = 0;

	for (uint32_t i = 0; i < w->measured; i++) {
		const struct drb_transfer *t = &w->transfers->transfer[w->first + i];
		if (!t->finish || !is_of(t, class))
			continue;
		uint64_t time = t->finish - t->start;
		uint64_t alone = drb_alone_slots(&w->alone, t, w->setup->longest);
		if (alone == 0)
			return -ENOMEM;
		sample[0][n] = time;
		sample[1][n++] = (uint64_t)llround((double)time / (double)alone * DRB_SLOWDOWN_ONE);
	}
	r->of[class].time = drb_latency_of(sample[0], n);
	r->of[class].slowdown = drb_latency_of(sample[1], n);
	return 0;
}

static int report(struct workload *w, struct drb_workload_result *r)
{
	uint64_t *samples = malloc((2 * (size_t)w->measured + 1) * sizeof(*samples));
	uint64_t *const sample[2] = {samples, samples + w->measured};
	int rc = samples ? 0 : -ENOMEM;

	for (int class = 0; rc == 0 && class < DRB_SIZE_CLASSES; class ++)
		rc = sum_up(w, class, sample, r);
	free(samples);
	if (rc < 0)
		return rc;
	r->begun = w->measured;
	for (uint32_t i = 0; i < w->measured; i++) {
		const struct drb_transfer *t = &w->transfers->transfer[w->first + i];
		r->broken += t->dropped > 0;
		r->unfinished += !t->finish && !t->dropped;
	}
	r->packets = w->transfers->arrived;
	r->dropped = w->transfers->dropped;
	r->resent = w->transfers->resent;
	r->lost_to = w->transfers->sim->lost_to;
	r->slots = drb_transfers_slot(w->transfers);
	return drb_transfers_list_links(w->transfers);
}

int drb_workload_run(const struct drb_workload_setup *setup, struct drb_workload_result *result)
{
	struct workload w = {.setup = setup,
			     .alone = {&setup->transfers, setup->same_source, NULL}};

	*result = (struct drb_workload_result){0};
	if (!is_valid(setup))
		return -EINVAL;
	int rc = drb_transfers_new(&w.transfers, &setup->transfers);
	if (rc < 0)
		return rc;
	w.draws = draws_of(setup);
	w.transfers->on_over = count_over;
	w.transfers->context = &w;
	while (rc == 0 && goes_on(&w)) {
		rc = slot_begin(&w);
		if (rc == 0)
			rc = drb_transfers_step(w.transfers);
	}
	result->error = rc;
	rc = report(&w, result);
	drb_transfers_free(w.transfers);
	drb_alone_free(&w.alone);
	return rc;
}
