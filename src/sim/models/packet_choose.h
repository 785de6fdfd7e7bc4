// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The decision of one packet of the packet model, by the switch's own core.

#include "sim/models/packet_sim.h"

// D-mod-k uplink h_m, shifted by the scheme that does so.
static inline uint32_t sim_default_uplink(const struct drb_packet_sim *sim, uint32_t layer,
					  const struct drb_hop *hop,
					  const struct drb_choice *choice, uint32_t dest)
{
	const struct drb_tree *t = &sim->setup.tree;
	uint32_t def = drb_hop_digit(hop, dest);

	if (choice->scheme != DRB_SCHEME_ROTATE)
		return def;
	return drb_shifted(def, drb_shift_digit(t, sim->slot % drb_shift_count(t), layer),
			   hop->arity);
}

// Layer 1 finds out whether a packet walks and marks it, the upper layers read that.
static inline bool sim_walks(struct drb_packet_sim *sim, uint32_t layer, uint32_t s, uint64_t *word)
{
	if (layer == 1 && drb_walk_next(&sim->walk[s], (uint32_t)*word, sim->slot))
		*word |= UINT64_C(1) << 32;
	return *word >> 32 & 1;
}

// What tells the flow of a packet from others, for DRB_SCHEME_ECMP.
static inline uint64_t sim_flow(const struct drb_packet_sim *sim, uint64_t word)
{
	return word & ((uint64_t)sim->tag_mask << 32 | UINT32_MAX);
}

// The uplink of a packet that switch s of a layer sends up. *def: the one whose turn it was by
// default.
static inline __attribute__((always_inline)) uint32_t sim_choose_uplink(
	struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s,
	const struct drb_hop *hop, const struct drb_choice *choice, uint64_t *word, uint64_t flow,
	uint64_t draw, uint32_t *def)
{
	const uint32_t *load = l->len + (uint64_t)s * (l->up + l->down);
	uint32_t dest = (uint32_t)*word;

	if (choice->scheme == DRB_SCHEME_WALK && sim_walks(sim, l->layer, s, word)) {
		drb_round *round = sim->round[l->layer] + (uint64_t)s * sim->rounds[l->layer];
		return drb_round_next(&round[drb_round_of(&sim->setup.tree.by[l->layer], dest)],
				      l->up, (struct drb_loads){.at = load}, def);
	}
	*def = sim_default_uplink(sim, l->layer, hop, choice, dest);
	return drb_choose(choice, load, *def, flow, draw);
}
