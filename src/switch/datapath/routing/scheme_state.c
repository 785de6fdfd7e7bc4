// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/routing/scheme_state.h"

#include <errno.h>
#include <stdlib.h>

// A fabric of at most so many hosts has an entry for each: nothing to search or to forget.
#define ALL_HOSTS_MAX (UINT32_C(1) << 16)
// tau in ticks is less than this, and at least half of it.
#define TAU_TICKS 128

static int init_walk(struct drb_scheme_state *state, const struct drb_setup *s)
{
	uint64_t tau = s->slot_ns * s->tau;
	uint32_t hosts = s->tree.hosts;
	size_t entries = hosts <= ALL_HOSTS_MAX ? hosts : drb_walk_entries(&s->tree, s->tau);
	uint32_t *memory = malloc(2 * entries * sizeof(*memory));

	while (tau >> state->tick_shift >= TAU_TICKS)
		state->tick_shift++;
	if (memory)
		drb_walk_init(&state->walk, &s->tree, memory, entries,
			      (uint32_t)(tau >> state->tick_shift));
	return memory ? 0 : -ENOMEM;
}

int drb_scheme_state_init(struct drb_scheme_state *state, const struct drb_setup *s)
{
	*state = (struct drb_scheme_state){
		.scheme = s->choice.scheme,
		.timed = drb_scheme_has(s->choice.scheme, DRB_READS_CLOCK),
		.layer = s->layer,
		.mac_octet = s->addr.mac[1],
		.slot_ns = s->slot_ns,
		.tree = s->tree,
	};
	if (s->choice.scheme != DRB_SCHEME_WALK || s->up_ports == 0)
		return 0;
	state->round = malloc(drb_rounds(&s->tree, s->layer) * sizeof(*state->round));
	if (!state->round || (s->layer == 1 && init_walk(state, s) < 0)) {
		drb_scheme_state_free(state);
		return -ENOMEM;
	}
	drb_rounds_init(state->round, &s->tree, s->layer, s->choice.salt);
	return 0;
}

void drb_scheme_state_free(struct drb_scheme_state *state)
{
	free(state->walk.seen);
	free(state->round);
	state->walk.seen = NULL;
	state->round = NULL;
}
