// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/entropy.h"

#include "sim/flows/window.h"

static uint16_t new_one(struct drb_rng *rng)
{
	return (uint16_t)(drb_rng_next(rng) >> 48);
}

uint16_t drb_entropy_next(struct drb_transfers *t, uint32_t transfer)
{
	switch (t->setup.hosts) {
	case DRB_HOSTS_FLOW:
	case DRB_HOSTS_ETHEREAL:
		break;
	case DRB_HOSTS_SPRAY:
		return new_one(&t->entropy_rng);
	case DRB_HOSTS_REPS:
		return drb_reps_next(drb_window_reps(t, transfer), &t->entropy_rng);
	}
	return (uint16_t)drb_mix64(transfer);
}

uint16_t drb_reps_next(struct drb_reps *r, struct drb_rng *rng)
{
	uint32_t at = (r->head - r->valids) % DRB_REPS_CACHE;

	if (r->explores || (r->valids == 0 && !(r->frozen && r->known[0]))) {
		r->explores -= r->explores > 0;
		return new_one(rng);
	}
	if (r->valids > 0) {
		r->valid[at] = false;
		r->valids--;
	} else if (r->known[r->head]) {
		r->head = (r->head + 1) % DRB_REPS_CACHE;
	} else {
		at = r->turns++ % r->head; // those before it are known
	}
	return r->entropy[at];
}

void drb_reps_hear(struct drb_reps *r, uint16_t entropy, uint64_t slot, uint32_t bdp)
{
	r->valids += !r->valid[r->head];
	r->entropy[r->head] = entropy;
	r->known[r->head] = r->valid[r->head] = true;
	r->head = (r->head + 1) % DRB_REPS_CACHE;
	if (r->frozen && slot > r->thaws) {
		r->frozen = false;
		r->explores = bdp;
	}
}

void drb_reps_lose(struct drb_reps *r, uint64_t thaws)
{
	if (r->frozen || r->explores)
		return;
	r->frozen = true;
	r->thaws = thaws;
}
