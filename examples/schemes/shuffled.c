// SPDX-License-Identifier: BSD-3-Clause
// shuffled: takes all uplinks of a switch in turn, in an order that is shuffled after some rounds.
// Switches of uet-htsim do so with -strat ecmp_rr, and those of layer 1 with rr_ecmp (rounds=5,
// hash=1), where the others hash flows (fat_tree_switch.cpp).
#include <drb/scheme.h>

enum { ROUNDS, HASH };

struct shuffled {
	uint32_t layer, turn;
	uint16_t order[]; // uplinks
};

static size_t shuffled_size(const struct drb_scheme_setup *setup)
{
	return sizeof(struct shuffled) + setup->choice->uplinks * sizeof(uint16_t);
}

static void shuffle(struct shuffled *own, uint32_t n, uint64_t seed)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = drb_scale32((uint32_t)(drb_mix64(seed + i) >> 32), i);
		uint16_t up = own->order[j];
		own->order[j] = own->order[i - 1];
		own->order[i - 1] = up;
	}
}

static void shuffled_init(void *state, const struct drb_scheme_setup *setup)
{
	struct shuffled *own = state;

	own->layer = setup->layer;
	own->turn = 0;
	for (uint32_t u = 0; u < setup->choice->uplinks; u++)
		own->order[u] = (uint16_t)u;
	shuffle(own, setup->choice->uplinks, setup->choice->salt);
}

static uint32_t shuffled_choose(const struct drb_decider *s, struct drb_loads loads,
				struct drb_decision *d)
{
	struct shuffled *own = s->state;
	const uint32_t n = s->choice.uplinks;

	(void)loads;
	if (own->layer > 1 && drb_param(&s->choice, HASH) > 0)
		return drb_scale32(drb_salted32(d->flow, s->choice.salt), n);
	if (own->turn >= drb_param(&s->choice, ROUNDS) * n) {
		own->turn = 0;
		shuffle(own, n, d->draw);
	}
	return own->order[own->turn++ % n];
}

static uint32_t shuffled_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			       struct drb_decision *d)
{
	return drb_usable_or_lowest(usable, shuffled_choose(s, loads, d));
}

DRB_SCHEME(shuffled) = {
	.abi = DRB_SCHEME_ABI,
	.name = "shuffled",
	.help = "all uplinks in turn, in an order that is shuffled after some rounds",
	.colour = "#117733",
	.symbol = "P",
	.needs = DRB_READS_FLOW | DRB_PACKETS_ONLY,
	.compares = DRB_COMPARES_NONE,
	.draw = DRB_DRAW_WORD,
	.unloaded = DRB_DRAW_WORD,
	.params = (const struct drb_scheme_param[]){{"rounds", "before a new order", 1, 1000, 1},
						    {"hash", "above layer 1, by flow", 0, 1, 0},
						    {0}},
	.state_size = shuffled_size,
	.init = shuffled_init,
	.choose = shuffled_choose,
	.choose_among = shuffled_among,
};
