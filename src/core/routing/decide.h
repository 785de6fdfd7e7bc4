// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The decision of a switch, whole: this is the only composition of it. The switch's forwarding path
// and the simulator's models call it.
//   drb_choose()         the rule of a scheme alone, which keeps nothing
//   drb_choose_among()  the same among some of the uplinks, while others are dead
//   drb_decide_uplink()  the scheme with what it keeps: counts, rounds, marks, turns
//   drb_decide()         down, up or on a detour: where some link or switch is dead
// Pure: loads, random bits, time and memory come from the caller.

#include "core/routing/detour.h"
#include "core/routing/draw.h"
#include "core/routing/remember.h"
#include "core/routing/rounds.h"
#include "core/routing/simple_rules.h"
#include "core/routing/spread.h"
#include "core/routing/threshold_two_choice.h"

// By the row of the scheme. A scheme that is known when this is compiled leaves nothing but its
// rule.
static inline __attribute__((always_inline)) uint32_t drb_choose_by(const struct drb_choice *c,
								    struct drb_loads loads,
								    uint32_t def, uint64_t flow,
								    uint64_t draw)
{
	if (c->uplinks < 2)
		return def;
	switch (c->scheme) {
#define X(id, name, rule, ...)                                                                     \
	case DRB_SCHEME_##id:                                                                      \
		return drb_rule_##rule(c, loads, def, flow, draw);
		DRB_SCHEMES(X)
#undef X
	case DRB_SCHEME_COUNT:
		break;
	}
	return def;
}

// The uplink for one packet (or new flow), with loads in an array, load[0..uplinks).
static inline uint32_t drb_choose(const struct drb_choice *c, const uint32_t *load, uint32_t def,
				  uint64_t flow, uint64_t draw)
{
	return drb_choose_by(c, (struct drb_loads){.at = load}, def, flow, draw);
}

// One decision: what is known of the packet (in), what becomes of it (out).
struct drb_decision {
	uint32_t dest; // in: the host that it goes to
	uint32_t port; // in, for drb_decide() alone: the port that it came in by
	uint64_t flow; // in: hash of its flow, for schemes with DRB_READS_FLOW
	uint64_t draw; // in: random bits (draw.h)
	uint32_t size; // in: packets or octets, as those of drb_spread_init() (scheme walk)
	// In: the D-mod-k uplink. Out: the one that the scheme takes by default; if the uplink is
	// another one, the packet was redirected.
	uint32_t def;
	uint8_t mark;   // in: the scheme's mark, as it came; out: as it leaves
	uint8_t detour; // in and out, for drb_decide() alone: the mark of a detour
	bool walks;     // out: its uplink was that of a round (scheme walk)
	bool detoured;  // out, of drb_decide() alone: it goes by the rules of detours
};

// What one switch decides by for a while (a burst, a slot): its choice, and what its scheme keeps.
// A scheme finds here only what it needs; the rest may be 0.
struct drb_decider {
	struct drb_choice choice;
	struct drb_spread *spread; // walk: whether to spread; ticks are the caller's
	drb_round *round;          // walk: of each group
	struct drb_div by_group;   // walk: divides by d^m
	uint16_t *remembered;      // drill, bouncing: uplinks (remember.h)
};

#define DRB_DECIDE(name)                                                                           \
	static inline __attribute__((always_inline)) uint32_t drb_decide_##name(                   \
		struct drb_decider *s, struct drb_loads loads, struct drb_decision *d)

DRB_DECIDE(by_rule)
{
	return drb_choose_by(&s->choice, loads, d->def, d->flow, d->draw);
}

DRB_DECIDE(drill)
{
	return drb_remember_shortest(s->remembered, loads, drb_decide_by_rule(s, loads, d));
}

DRB_DECIDE(bouncing)
{
	(void)loads;
	return drb_turn_next(&s->remembered[drb_turn_of(&s->choice, d->flow)], s->choice.uplinks);
}

// Spreads what the switches below spread, and all while this one does.
DRB_DECIDE(walk)
{
	drb_spread_count(s->spread, d->def, 1, d->size);
	d->mark = drb_spread_mark(s->spread, d->mark);
	if (!d->mark)
		return drb_decide_by_rule(s, loads, d);
	d->walks = true;
	return drb_round_next(&s->round[drb_round_of(&s->by_group, d->dest)], s->choice.uplinks,
			      loads, &d->def);
}

#undef DRB_DECIDE

// The uplink of a packet that goes up, when all uplinks can be used.
static inline __attribute__((always_inline)) uint32_t drb_decide_uplink(struct drb_decider *s,
									struct drb_loads loads,
									struct drb_decision *d)
{
	switch (s->choice.scheme) {
#define X(id, name, rule, decide, ...)                                                             \
	case DRB_SCHEME_##id:                                                                      \
		return drb_decide_##decide(s, loads, d);
		DRB_SCHEMES(X)
#undef X
	case DRB_SCHEME_COUNT:
		break;
	}
	return d->def;
}

// Most uplinks that drb_choose_among() takes.
#define DRB_USABLE_UPLINKS_MAX 64

// drb_choose() for d->def, d->flow and d->draw among those uplinks whose bit is set in usable, or among
// all if none is: the others are left out of every choice, and in place of a default that is left out
// there is a random one. A scheme that hashes flows moves only those of uplinks left out.
uint32_t drb_choose_among(const struct drb_choice *c, uint64_t usable, const uint32_t *load,
			  const struct drb_decision *d);

// The port by which a packet leaves a switch with dead ports, or one of DRB_DETOUR_HOST_DOWN ... if
// it finds no way. load: of all uplinks. While one of them is dead, schemes decide by their rule
// alone, among the others: what they keep is about all. Only the turns of bouncing go on.
int32_t drb_decide(struct drb_decider *s, const struct drb_detour_node *node,
		   struct drb_usable_ports links, const uint32_t *load, struct drb_decision *d);
