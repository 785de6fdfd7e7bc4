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
		return drb_reps_next(&t->transfer[transfer].window->reps, &t->entropy_rng);
	}
	return (uint16_t)drb_mix64(transfer);
}

uint16_t drb_reps_next(struct drb_reps *r, struct drb_rng *rng)
{
	uint32_t at = (uint32_t)(r->head - r->valids) % DRB_REPS_CACHE;

	if (r->explores || (r->valids == 0 && !(r->frozen && r->known))) {
		r->explores -= r->explores > 0;
		return new_one(rng);
	}
	if (r->valids > 0) {
		r->valid &= (uint8_t) ~(1u << at);
		r->valids--;
	} else if (r->known >> r->head & 1) {
		r->head = (r->head + 1) % DRB_REPS_CACHE;
	} else {
		at = r->turns++ % r->head; // those before it are known
	}
	return r->entropy[at];
}

void drb_reps_hear(struct drb_reps *r, uint16_t entropy, uint64_t slot, uint32_t bdp)
{
	const uint8_t bit = (uint8_t)(1u << r->head);

	r->valids += !(r->valid & bit);
	r->entropy[r->head] = entropy;
	r->known |= bit;
	r->valid |= bit;
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
