// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The whole decision of a switch, composed only here. The switch's forwarding path and the
// simulator's models call it.
//   drb_choose()         a decision of a scheme without state
//   drb_decide_uplink()  a decision of any scheme; struct drb_decider has its state
//   drb_decide_by()      the same with the scheme's functions given, for loops of one scheme
//   drb_decide_among()   the same among some of the uplinks, while others are dead
//   drb_decide()         down, up or on a detour, while some link or switch is dead
// Pure: loads, random bits, time and memory come from the caller.

#include "core/routing/among.h"
#include "core/routing/choice.h"
#include "core/routing/detour.h"
#include "core/routing/draw.h"

// The uplink of a packet that goes up while all uplinks are usable. ops: those of s. If ops is a
// compile-time constant, the compiler leaves nothing but the scheme's rule.
DRB_RULE uint32_t drb_decide_by(const struct drb_scheme_ops *ops, const struct drb_decider *s,
				struct drb_loads loads, struct drb_decision *d)
{
	return s->choice.uplinks < 2 ? d->def : ops->choose(s, loads, d);
}

static inline uint32_t drb_decide_uplink(const struct drb_decider *s, struct drb_loads loads,
					 struct drb_decision *d)
{
	return drb_decide_by(s->choice.ops, s, loads, d);
}

// The uplink of one packet (or new flow), with loads in an array, load[0..uplinks).
static inline uint32_t drb_choose(const struct drb_choice *c, const uint32_t *load, uint32_t def,
				  uint64_t flow, uint64_t draw)
{
	const struct drb_decider s = {.choice = *c};
	struct drb_decision d = {.def = def, .flow = flow, .draw = draw};

	return drb_decide_uplink(&s, (struct drb_loads){load}, &d);
}

// The uplink among those whose bits are set in usable, or among all if no bit is set.
uint32_t drb_decide_among(const struct drb_decider *s, uint64_t usable, const uint32_t *load,
			  struct drb_decision *d);

// The port by which a packet leaves a switch with dead ports. If it has no path, one of
// DRB_DETOUR_HOST_DOWN and the other negative results. load: the load of each uplink.
int32_t drb_decide(const struct drb_decider *s, const struct drb_detour_node *node,
		   struct drb_usable_ports links, const uint32_t *load, struct drb_decision *d);
