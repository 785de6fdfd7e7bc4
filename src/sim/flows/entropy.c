// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/entropy.h"

#include "sim/flows/window.h"

static uint16_t new_one(struct drb_rng *rng, uint32_t entropies)
{
	return (uint16_t)((drb_rng_next(rng) >> 48) & (entropies - 1));
}

// Takes each entropy once in a round, in the order of a counter with some of its bits flipped.
static uint16_t next_in_turn(struct drb_transfers *t, struct drb_uec_window *w)
{
	if (w->turn == 0)
		w->flip = new_one(&t->entropy_rng, t->setup.entropies);
	const uint16_t entropy = w->turn ^ w->flip;
	w->turn = (uint16_t)((w->turn + 1u) & (t->setup.entropies - 1));
	return entropy;
}

uint16_t drb_entropy_next(struct drb_transfers *t, uint32_t transfer)
{
	switch (t->setup.hosts) {
	case DRB_HOSTS_FLOW:
	case DRB_HOSTS_ETHEREAL:
		break;
	case DRB_HOSTS_SPRAY:
		if (t->setup.source == DRB_SIM_UEC)
			return next_in_turn(t, &t->transfer[transfer].window->uec);
		return new_one(&t->entropy_rng, t->setup.entropies);
	case DRB_HOSTS_REPS:
		return drb_reps_next(&t->transfer[transfer].window->reps, &t->entropy_rng,
				     t->setup.entropies);
	}
	return (uint16_t)drb_mix64(transfer);
}

uint16_t drb_reps_next(struct drb_reps *r, struct drb_rng *rng, uint32_t entropies)
{
	const uint32_t known = (uint32_t)__builtin_popcount(r->known);
	uint32_t at = (uint32_t)(r->head - r->valids) % DRB_REPS_CACHE;

	if (r->explores || known == 0 || (r->valids == 0 && !r->frozen)) {
		r->explores -= r->explores > 0;
		return new_one(rng, entropies);
	}
	if (r->frozen)
		at = r->turns++ % known;
	r->valids -= r->valid >> at & 1;
	r->valid &= (uint8_t) ~(1u << at);
	return r->entropy[at];
}

void drb_reps_hear(struct drb_reps *r, uint16_t entropy, uint64_t slot, uint32_t bdp)
{
	if (r->frozen && slot > r->thaws)
		*r = (struct drb_reps){.explores = bdp};
	const uint8_t bit = (uint8_t)(1u << r->head);

	r->valids += !(r->valid & bit);
	r->entropy[r->head] = entropy;
	r->known |= bit;
	r->valid |= bit;
	r->head = (r->head + 1) % DRB_REPS_CACHE;
}

void drb_reps_lose(struct drb_reps *r, uint64_t thaws)
{
	if (r->frozen || r->explores)
		return;
	r->frozen = true;
	r->thaws = thaws;
}
