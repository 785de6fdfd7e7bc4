// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What schemes keep besides queues, for one worker: the switch's part of struct drb_decider
// (core/routing/decide.h). A packet that carries the mark of its scheme has it in the second octet
// of its source MAC, by exclusive or with the fabric's own. Switches that send it up write it, those
// that get it from above read it; the layer-1 switch that sends it down to a host takes it away.
// Sources of hosts are checked, so no host can send a mark.

#include <rte_mbuf.h>

#include "core/fabric/addresses.h"
#include "core/routing/decide.h"

#include "common/config/config.h"
#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/classify.h"

struct drb_scheme_state {
	// Constant while running.
	enum drb_scheme scheme;
	bool timed; // decisions need the time
	bool walks; // scheme walk, of a switch that sends up or looks at queues down
	uint32_t layer;
	uint8_t mac_octet;       // the octet without a mark
	bool octets;             // walk: sizes are octets, with so many beyond the frame's own,
	uint32_t overhead;       // else packets
	uint32_t tick_shift;     // walk: times are ns >> tick_shift
	struct drb_div by_group; // walk: divides a destination by d^m
	// Written by the worker with each burst.
	struct drb_spread spread; // walk
	drb_round *round;         // walk, by group. Owned, as is the memory of spread
	uint16_t *remembered;     // uplinks, as many as the scheme remembers. Owned
};

// 0 or -ENOMEM; for a scheme that keeps nothing, nothing is allocated.
int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *setup);
void drb_scheme_state_free(struct drb_scheme_state *state);

// What decisions go by, for a scheme: the configured one, or one that stands in for it.
// The choice and what walk goes by are the caller's to fill in.
static inline __attribute__((always_inline)) struct drb_decider drb_scheme_state_decider(
	const struct drb_scheme_state *s, enum drb_scheme scheme)
{
	struct drb_decider d = {.remembered = s->remembered};

	if (scheme == DRB_SCHEME_WALK) {
		d.round = s->round;
		d.by_group = s->by_group;
	}
	return d;
}

// The size of a packet, as walk counts it.
static inline uint32_t drb_scheme_state_size(const struct drb_scheme_state *s,
					     const struct rte_mbuf *m)
{
	return s->octets ? m->pkt_len + s->overhead : 1;
}

// So many packets of size 1 took each uplink, their default.
static inline void drb_scheme_state_count(struct drb_scheme_state *s, const uint32_t packets[])
{
	for (uint32_t u = 0; u < s->spread.uplinks; u++)
		drb_spread_count(&s->spread, u, packets[u], packets[u]);
}

// At the end of a burst of which so many packets were sent up. True at the end of a window.
static inline bool drb_scheme_state_tick(struct drb_scheme_state *s, uint64_t now_ns, uint32_t up)
{
	return s->walks && drb_spread_tick(&s->spread, (uint32_t)(now_ns >> s->tick_shift), up);
}

// The mark with which a packet that came with one leaves downwards: a host sees none.
static inline uint8_t drb_scheme_state_mark_down(const struct drb_scheme_state *s, uint8_t mark)
{
	return s->layer == 1 ? 0 : drb_spread_mark(&s->spread, mark);
}

// Reads the marks of packets that came from above, and writes those that they go down with; a core does so with
// all packets. What goes to a group address is no packet from host to host, but a hello.
static inline void drb_scheme_state_from_above(struct drb_scheme_state *s,
					       const struct drb_burst *b, uint32_t down_ports)
{
	if (!s->walks || (b->in < down_ports && (s->round || !s->spread.distance)))
		return;
	// Copies: what is written into a frame might be what they are of, for all the compiler knows.
	const bool hears = s->round;
	const uint8_t mac_octet = s->mac_octet;
	for (uint32_t i = 0; i < b->count; i++) {
		uint8_t *frame = rte_pktmbuf_mtod(b->packets[i], uint8_t *);
		if (b->packets[i]->data_len < DRB_FRAME_MIN || frame[0] & 1)
			continue;
		uint8_t mark = frame[DRB_MARK_AT] ^ mac_octet;
		if (hears)
			drb_spread_hear(&s->spread, mark);
		uint8_t leaves = drb_scheme_state_mark_down(s, mark);
		if (leaves != mark)
			frame[DRB_MARK_AT] = mac_octet ^ leaves;
	}
}
