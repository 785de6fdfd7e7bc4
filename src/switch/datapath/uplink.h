// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The uplink of one packet of a burst, inlined into the loops of forward.c.

#include <rte_mbuf.h>

#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "switch/datapath/routing/difference_sample.h"
#include "switch/datapath/worker.h"

// The flow's hash, for schemes that read it.
static inline __attribute__((always_inline)) uint64_t flow_of(struct rte_mbuf *m)
{
	uint8_t flags;

	return drb_flow_hash_of(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &flags);
}

// How a burst is decided; constants at every call, so that each combination gets a loop of its own.
struct how {
	enum drb_scheme scheme;
	bool many;     // a scheme with a threshold looks at more than two uplinks
	bool packed;   // the loads of the uplinks fit a register
	bool record;   // what the decisions see
	bool unloaded; // no uplink has a load, nor gets one by this burst
	bool resting;  // walk: all packets do
};

static inline __attribute__((always_inline)) struct drb_choice choice_of(const struct drb_worker *w,
									 struct how how)
{
	struct drb_choice choice = w->choice;

	choice.scheme = how.scheme;
	if (drb_scheme_has_threshold(how.scheme) && !how.many)
		choice.choices = 2;
	if (how.scheme != DRB_SCHEME_DMODK && choice.uplinks < 2)
		__builtin_unreachable(); // by_scheme() takes dmodk then
	return choice;
}

static inline __attribute__((always_inline)) bool reads_loads(struct how how)
{
	return !how.unloaded && (drb_scheme_has_threshold(how.scheme) ||
				 how.scheme == DRB_SCHEME_MICRO || how.scheme == DRB_SCHEME_LEAST);
}

// How many packets one random number serves.
static inline __attribute__((always_inline)) uint32_t shares(struct how how, uint32_t uplinks)
{
	if (how.unloaded)
		return UINT32_MAX;
	switch (how.scheme) {
	case DRB_SCHEME_DRB:
	case DRB_SCHEME_ROTATE:
	case DRB_SCHEME_WALK:
		return how.many ? 1 : drb_rng_shares(uplinks - 1);
	case DRB_SCHEME_VLB:
		return drb_rng_shares(uplinks);
	case DRB_SCHEME_MICRO:
		return drb_rng_shares(uplinks * (uplinks - 1));
	case DRB_SCHEME_LEAST:
		return 1;
	default:
		return UINT32_MAX; // not random
	}
}

// The draw of one decision out of a random number that serves several.
static inline __attribute__((always_inline)) uint64_t draw_of(struct how how, uint32_t uplinks,
							      uint64_t *bits)
{
	uint64_t first;

	switch (how.scheme) {
	case DRB_SCHEME_DRB:
	case DRB_SCHEME_ROTATE:
	case DRB_SCHEME_WALK:
		return how.many ? *bits : (uint64_t)drb_rng_share(bits, uplinks - 1) << 32;
	case DRB_SCHEME_VLB:
		return (uint64_t)drb_rng_share(bits, uplinks) << 32;
	case DRB_SCHEME_MICRO:
		first = (uint64_t)drb_rng_share(bits, uplinks) << 32;
		return first | drb_rng_share(bits, uplinks - 1);
	default:
		return *bits;
	}
}

// What rotate and walk go by within a burst, apart from the worker: the compiler takes whatever is
// written into a frame for a change of that.
struct turns {
	uint32_t shift; // rotate
	uint32_t tick;  // walk: the time
	bool finds;     // who walks, and marks it; else the mark is there
	uint8_t plain;  // octet without a mark
	drb_round *round;
	struct drb_div by_group;
	struct drb_walk walk;
};

static inline __attribute__((always_inline)) struct turns turns_open(const struct drb_worker *w,
								     struct how how)
{
	const struct drb_turns *t = &w->turns;

	if (how.scheme == DRB_SCHEME_ROTATE)
		return (struct turns){.shift = drb_turns_shift(t, w->now_ns)};
	if (how.scheme == DRB_SCHEME_WALK)
		return (struct turns){.tick = (uint32_t)(w->now_ns >> t->tick),
				      .finds = t->layer == 1,
				      .plain = t->plain,
				      .round = t->round,
				      .by_group = t->tree.by[t->layer],
				      .walk = t->walk};
	return (struct turns){0};
}

// ups: packets that were sent up.
static inline __attribute__((always_inline)) void turns_close(struct drb_worker *w, struct how how,
							      struct turns *turns, uint32_t ups)
{
	if (how.resting)
		turns->walk.rest -= ups;
	if (how.scheme == DRB_SCHEME_WALK)
		w->turns.walk = turns->walk;
}

// True if a packet that is sent up now walks; it is marked then.
static inline __attribute__((always_inline)) bool walks(struct how how, struct turns *turns,
							uint8_t *frame, uint32_t dest)
{
	if (how.scheme != DRB_SCHEME_WALK)
		return false;
	if (!how.resting && !turns->finds)
		return frame[DRB_MARK_AT] != turns->plain;
	if (!how.resting && !drb_walk_next(&turns->walk, dest, turns->tick))
		return false;
	frame[DRB_MARK_AT] = turns->plain ^ DRB_MARK_WALKS;
	return true;
}

// What the decisions of a burst came to, in packets.
struct decided {
	uint32_t redirected, walked;
};

// def: h_m. bits: random ones, that serve as many packets as shares() says.
static inline __attribute__((always_inline)) uint32_t decide(
	struct drb_worker *w, const struct how how, const struct drb_choice *choice,
	struct drb_loads loads, struct turns *turns, struct rte_mbuf *m, uint32_t def,
	uint64_t *bits, struct decided *decided)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t dest = drb_addr_label_octets(frame), up;

	if (walks(how, turns, frame, dest)) {
		if (turns->by_group.unit)
			__builtin_unreachable(); // with two uplinks or more it divides by at least
						 // 2
		drb_round *round = &turns->round[drb_round_of(&turns->by_group, dest)];
		decided->walked++;
		if (how.unloaded)
			return drb_round_next(round, choice->uplinks, (struct drb_loads){0}, &def);
		up = drb_round_next(round, choice->uplinks, loads, &def);
		decided->redirected += up != def;
		return up;
	}
	if (how.scheme == DRB_SCHEME_ROTATE)
		def = drb_shifted(def, turns->shift, choice->uplinks);
	if (how.unloaded)
		return def;
	uint64_t flow = how.scheme == DRB_SCHEME_ECMP ? flow_of(m) : 0;
	uint64_t draw = draw_of(how, choice->uplinks, bits);
	if (how.record)
		drb_sample_difference(w, choice, loads.at, def, draw);
	up = drb_choose_by(choice, loads, def, flow, draw);
	decided->redirected += up != def;
	return up;
}
