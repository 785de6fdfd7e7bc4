// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packet model's input to decisions, in the types of the core (core/routing/decide.h).

#include "core/routing/decide.h"

#include "common/cli/log.h"

#include "sim/models/packet_sim.h"

// The hash of a packet's flow, for schemes with DRB_READS_FLOW.
static inline uint64_t sim_flow(const struct drb_packet_sim *sim, uint64_t word)
{
	uint64_t source = word >> 32 & sim->source_mask;
	uint64_t tag = sim->source_mask ? drb_mix64(source) : word >> 32;

	return (tag & sim->flow_mask) << 32 | (uint32_t)word;
}

// The choice of the switches of a layer, without salts.
static inline struct drb_choice sim_choice(const struct drb_packet_sim *sim,
					   const struct drb_layer *l)
{
	struct drb_choice choice = sim->choice;

	choice.uplinks = l->up;
	return choice;
}

// The decider of switch s of a layer in this slot.
static inline __attribute__((always_inline)) struct drb_decider sim_decider(
	const struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s,
	const struct drb_choice *choice)
{
	struct drb_decider d = {.choice = *choice};

	if (l->up == 0)
		return d;
	d.state = sim_state(sim, l->layer, s);
	if (choice->ops->own_mark)
		d.mark = choice->ops->own_mark(d.state);
	return d;
}

// Checks that a switch has this uplink: a scheme of the user may fail where its trial found no
// error.
static inline uint32_t sim_uplink(const struct drb_choice *c, uint32_t up)
{
	if (__builtin_expect(up >= c->uplinks, 0))
		drb_die("scheme %s takes uplink %u at a switch with %u", c->ops->name, up,
			c->uplinks);
	return up;
}

// The decision on a packet, from its word.
static inline __attribute__((always_inline)) struct drb_decision sim_decision(
	const struct drb_packet_sim *sim, const struct drb_hop *hop, uint64_t word, uint64_t draw)
{
	return (struct drb_decision){.dest = (uint32_t)word,
				     .flow = sim_flow(sim, word),
				     .draw = draw,
				     .size = 1,
				     .def = drb_hop_default(hop, (uint32_t)word),
				     .mark = word >> sim->mark_at & sim->mark_mask,
				     .detour = word >> sim->detour_at & sim->detour_mask};
}

// The word with another mark of its scheme.
static inline uint64_t sim_marked(const struct drb_packet_sim *sim, uint64_t word, uint8_t mark)
{
	return (word & ~((uint64_t)sim->mark_mask << sim->mark_at)) | (uint64_t)mark
									      << sim->mark_at;
}

// Packs a detour mark (include/drb/detour.h) into six bits, which leaves more bits of the packet's
// word for the slot of birth. A detour has at most three units of extra hops, a route at most 24
// hops. 0 stays 0.
static inline uint8_t sim_packed_detour(uint8_t mark)
{
	return (mark & DRB_DETOUR_ROUTED) ? 0x20 | (mark & 0x1f) : (mark >> 4) << 2 | (mark & 3);
}

static inline uint8_t sim_unpacked_detour(uint8_t packed)
{
	return (packed & 0x20) ? DRB_DETOUR_ROUTED | (packed & 0x1f)
			       : (packed >> 2) << 4 | (packed & 3);
}

// The word with another detour mark, packed.
static inline uint64_t sim_detoured(const struct drb_packet_sim *sim, uint64_t word, uint8_t mark)
{
	return (word & ~((uint64_t)sim->detour_mask << sim->detour_at)) | (uint64_t)mark
										  << sim->detour_at;
}

// Sets the scheme's mark of each packet that goes down from here.
static inline __attribute__((always_inline)) void sim_mark_down(const struct drb_scheme_ops *ops,
								const struct drb_packet_sim *sim,
								const struct drb_layer *l,
								uint32_t s)
{
	const struct drb_hop hop = drb_hop_at(&sim->setup.tree, l->layer, s);
	void *state = sim_state(sim, l->layer, s);

	for (uint32_t i = 0; i < l->up + l->down; i++) {
		uint64_t *word = i < l->up ? &l->from_above.now[(uint64_t)s * l->up + i]
					   : &l->from_below.now[(uint64_t)s * l->down + i - l->up];
		uint8_t mark = *word >> sim->mark_at & sim->mark_mask;
		const bool turns = i >= l->up && !(*word >> sim->detour_at & sim->detour_mask);
		// Words without a packet match no switch.
		if ((uint32_t)*word - hop.first < hop.span)
			*word = sim_marked(sim, *word, ops->mark_down(state, mark, turns));
	}
}

// Called before the arrivals of a slot. The scheme receives the marks of packets from above and the
// time. Above layer 1, it also receives the lengths of egress queues down, and marks packets that
// go down.
static inline __attribute__((always_inline)) void sim_hear(const struct drb_scheme_ops *ops,
							   struct drb_packet_sim *sim,
							   const struct drb_layer *l, uint32_t s)
{
	const uint64_t *above = l->from_above.now + (uint64_t)s * l->up;
	void *state = sim_state(sim, l->layer, s);

	for (uint32_t i = 0; ops->hear && i < l->up; i++) {
		if (above[i] != DRB_NO_PACKET)
			ops->hear(state, above[i] >> sim->mark_at & sim->mark_mask);
	}
	if (ops->tick && ops->tick(state, sim->slot, 0) && ops->look && l->layer > 1)
		ops->look(state, l->len + (uint64_t)s * (l->up + l->down) + l->up);
	if (ops->mark_down && l->layer > 1)
		sim_mark_down(ops, sim, l, s);
}
