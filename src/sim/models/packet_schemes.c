// SPDX-License-Identifier: BSD-3-Clause
// A switch's use of its scheme in a slot, compiled for each scheme separately.
#include "core/schemes/all.h"

#include "sim/models/packet_slot.h"

// Each of n packets chooses its uplink and joins the queue. Compiled for each scheme separately.
static inline __attribute__((always_inline)) int send_up_by(const struct drb_scheme_ops *ops,
							    struct drb_packet_sim *sim,
							    const struct active_switch *at,
							    uint32_t n, const struct sending *out)
{
	uint64_t *word = sim->arrived_up;
	const struct drb_loads loads = {.at = at->l->seen + at->first};
	uint32_t redirected = 0, left = 0, max = out->tally->up_max;
	struct drb_choice choice = at->choice;
	struct drb_rng r = *out->rng; // a copy that stays in registers

	choice.ops = ops;
	struct drb_decider decider = sim_decider(sim, at->l, at->s, &choice);
	for (uint32_t i = 0; i < n; i++) {
		struct drb_decision d = sim_decision(sim, &at->hop, word[i], drb_rng_next(&r));
		// The default: walk may set d.def to the uplink whose turn it is.
		const uint32_t def = d.def;
		uint32_t up = sim_uplink(&choice, drb_decide_by(ops, &decider, loads, &d));
		redirected += up != d.def;
		if (ops->mark_bits)
			word[i] = sim_marked(sim, word[i], d.mark);
		// For traffic of the setup, notes whether packets left their default paths.
		if (!out->sourced) {
			word[i] |= (uint64_t)(up != def) << sim->detour_at;
			left += word[i] >> sim->detour_at & 1;
		}
		if ((out->sourced
			     ? sim_join(sim, at, up, word[i], &max)
			     : join(&sim->fabric.pool, at->l, at->first + up, word[i], &max)) < 0)
			return -ENOMEM;
	}
	out->tally->up_max = max;
	out->tally->redirected += redirected;
	out->tally->kept += n - left;
	*out->rng = r;
	return 0;
}

// Compiled twice. The variant for packets of a source checks for the source. The variant for
// traffic of the setup needs no such checks.
static inline __attribute__((always_inline)) int send_up_of(const struct drb_scheme_ops *ops,
							    struct drb_packet_sim *sim,
							    const struct active_switch *at,
							    uint32_t n, const struct sending *out)
{
	const struct sending own = {out->rng, out->tally, false};
	const struct sending sourced = {out->rng, out->tally, true};

	return out->sourced ? send_up_by(ops, sim, at, n, &sourced)
			    : send_up_by(ops, sim, at, n, &own);
}

// The same, but the source of the packets chooses the uplinks.
static int send_up_as_told(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t n,
			   struct sending *out)
{
	const struct drb_decider decider = sim_decider(sim, at->l, at->s, &at->choice);
	const uint64_t *word = sim->arrived_up;

	for (uint32_t i = 0; i < n; i++) {
		struct drb_decision d =
			sim_decision(sim, &at->hop, word[i], drb_rng_next(out->rng));
		uint32_t up = sim->source->choose(sim, at, &decider, word[i], &d);
		if (sim_join(sim, at, up, sim_marked(sim, word[i], d.mark), &out->tally->up_max) <
		    0)
			return -ENOMEM;
	}
	return 0;
}

int sim_send_up(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t n,
		struct sending *out)
{
	if (sim->source && sim->source->choose)
		return send_up_as_told(sim, at, n, out);
	switch (drb_scheme_like(sim->setup.scheme)) {
#define X(id, name)                                                                                \
	case DRB_SCHEME_##id:                                                                      \
		return send_up_of(&drb_scheme_##name, sim, at, n, out);
		DRB_SCHEMES(X)
#undef X
	case DRB_SCHEME_COUNT:
		break;
	}
	return send_up_of(at->choice.ops, sim, at, n, out);
}

void sim_hear_above(struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s)
{
	switch (drb_scheme_like(sim->setup.scheme)) {
#define X(id, name)                                                                                \
	case DRB_SCHEME_##id:                                                                      \
		sim_hear(&drb_scheme_##name, sim, l, s);                                           \
		break;
		DRB_SCHEMES(X)
#undef X
	case DRB_SCHEME_COUNT:
		sim_hear(sim->choice.ops, sim, l, s);
		break;
	}
}
