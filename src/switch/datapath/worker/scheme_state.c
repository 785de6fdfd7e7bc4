// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/scheme_state.h"

#include <errno.h>
#include <stdlib.h>

// A packet takes less than this in ticks, and at least half of it.
#define PACKET_TICKS 128

// The rates of the uplinks a tick, as far as one of several workers may use them; false if one has
// none, or they are not in the same unit.
static bool rates_of(const struct drb_setup *s, uint32_t tick_shift, double rate[])
{
	const struct drb_port_setup *up = &s->ports[s->down_ports];
	double tick = (double)(UINT64_C(1) << tick_shift) / 1e9 / (s->workers ? s->workers : 1);

	for (uint32_t u = 0; u < s->up_ports; u++) {
		if (up[u].rate.value <= 0 || up[u].rate.per_packet != up->rate.per_packet)
			return false;
		rate[u] = up[u].rate.value * tick / (up->rate.per_packet ? 1 : 8);
	}
	return true;
}

static int init_walk(struct drb_scheme_state *state, const struct drb_setup *s)
{
	const struct drb_port_setup *up = &s->ports[s->down_ports];
	double rate[DRB_PORTS_MAX];
	uint64_t *memory = malloc(DRB_SPREAD_WORDS(s->up_ports) * sizeof(*memory));

	state->round = malloc(drb_rounds(&s->tree, s->layer) * sizeof(*state->round));
	if (!memory || !state->round) {
		free(memory);
		return -ENOMEM;
	}
	while (s->slot_ns >> state->tick_shift >= PACKET_TICKS)
		state->tick_shift++;
	const struct drb_spread_setup setup = {.tree = &s->tree,
					       .layer = s->layer,
					       .packet_time =
						       (uint32_t)(s->slot_ns >> state->tick_shift)};
	drb_spread_init(&state->spread, &setup, memory);
	if (rates_of(s, state->tick_shift, rate)) {
		drb_spread_set_rates(&state->spread, rate);
		state->octets = !up->rate.per_packet;
		state->overhead = up->overhead;
	} else {
		state->timed = false; // windows are counted in packets
	}
	drb_rounds_init(state->round, &s->tree, s->layer, s->choice.salt);
	return 0;
}

static int init_remembered(struct drb_scheme_state *state, const struct drb_setup *s)
{
	state->remembered =
		malloc(drb_scheme_table[s->choice.scheme].remembers * sizeof(*state->remembered));
	if (!state->remembered)
		return -ENOMEM;
	drb_remember_init(state->remembered, &s->choice);
	return 0;
}

int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *s)
{
	int rc = 0;

	*state = (struct drb_scheme_state){
		.scheme = s->choice.scheme,
		.timed = drb_scheme_has(s->choice.scheme, DRB_READS_CLOCK),
		.layer = s->layer,
		.mac_octet = s->addr.mac[1],
		.slot_ns = s->slot_ns,
		.tree = s->tree,
	};
	if (s->choice.scheme == DRB_SCHEME_WALK && s->up_ports > 0)
		rc = init_walk(state, s);
	if (drb_scheme_table[s->choice.scheme].remembers && s->up_ports > 0)
		rc = init_remembered(state, s);
	if (rc < 0)
		drb_scheme_state_free(state);
	return rc;
}

void drb_scheme_state_free(struct drb_scheme_state *state)
{
	free(state->spread.count);
	free(state->round);
	free(state->remembered);
	state->spread.count = NULL;
	state->round = NULL;
	state->remembered = NULL;
}
