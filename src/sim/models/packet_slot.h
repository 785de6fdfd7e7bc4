// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parts of a switch's slot, inlined into the loops of packet.c and of models with other sources of
// packets.

#include <errno.h>

#include "core/math/random.h"

#include "sim/models/packet_decide.h"

// Events of one layer in one slot.
struct tally {
	// Packets that joined queues, packets that left them.
	uint64_t up_in, up_out, down_in, down_out;
	uint64_t redirected, kept; // among up_in; kept: on their default paths so far
	// The longest queue that a packet joined, itself included.
	uint32_t up_max, down_max;
};

// A switch that processes its arrivals of a slot.
struct active_switch {
	struct drb_layer *l;
	uint32_t s;     // label in its layer
	uint64_t first; // entry of its first up-port in l->len and l->fifo
	struct drb_hop hop;
	struct drb_choice choice;
	uint32_t join_from; // join_from of the packets' source
};

static inline void shuffle(struct drb_rng *rng, uint64_t word[], uint32_t n)
{
	struct drb_rng r = *rng; // a copy that stays in registers

	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = drb_scale32((uint32_t)(drb_rng_next(&r) >> 32), i);
		uint64_t w = word[j];
		word[j] = word[i - 1];
		word[i - 1] = w;
	}
	*rng = r;
}

// Takes the arrivals off the links. Packets that go up and packets that go down are separate: they
// join different queues, so only the order within each kind matters.
static inline void gather(const struct drb_layer *l, uint32_t s, const struct drb_hop *hop,
			  uint64_t *restrict up, uint32_t *n_up, uint64_t *restrict down,
			  uint32_t *n_down)
{
	const uint64_t *below = l->from_below.now + (uint64_t)s * l->down;
	const uint64_t *above = l->from_above.now + (uint64_t)s * l->up;
	uint32_t ups = l->up, downs = l->down, first = hop->first, span = hop->span;
	uint32_t nu = 0, nd = 0;

	for (uint32_t i = 0; i < ups; i++) {
		down[nd] = above[i];
		nd += above[i] != DRB_NO_PACKET;
	}
	// The destination of DRB_NO_PACKET is below no switch.
	for (uint32_t i = 0; i < downs; i++) {
		uint64_t w = below[i];
		uint32_t turns = (uint32_t)w - first < span;
		down[nd] = w;
		nd += turns;
		up[nu] = w;
		nu += (w != DRB_NO_PACKET) - turns;
	}
	*n_up = nu;
	*n_down = nd;
}

static inline int join(struct drb_fifo_pool *pool, struct drb_layer *l, uint64_t queue,
		       uint64_t word, uint32_t *max)
{
	uint32_t len = l->len[queue];

	if (drb_fifo_reserve(pool, &l->fifo[queue], len) < 0)
		return -ENOMEM;
	drb_fifo_put(pool, &l->fifo[queue], len, word);
	l->len[queue] = len + 1;
	*max = len + 1 > *max ? len + 1 : *max;
	return 0;
}

// In queues of join_from packets or more, the source of the packets decides which packets join.
static inline int sim_join(struct drb_packet_sim *sim, const struct active_switch *at,
			   uint32_t queue, uint64_t word, uint32_t *max)
{
	if (__builtin_expect(at->l->len[at->first + queue] >= at->join_from, 0))
		return sim->source->join(sim, at, queue, word, max);
	return join(&sim->fabric.pool, at->l, at->first + queue, word, max);
}

// State that the packets of a slot change.
struct sending {
	struct drb_rng *rng;
	struct tally *tally;
	bool sourced; // the packets come from a source
};

// Each of the n packets that arrived to go up chooses its uplink and joins the queue. 0 or -ENOMEM.
int sim_send_up(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t n,
		struct sending *out);
// sim_hear() before the arrivals of a slot. Only for schemes with a state.
void sim_hear_above(struct drb_packet_sim *sim, const struct drb_layer *l, uint32_t s);
