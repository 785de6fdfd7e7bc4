// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/routing/walk_state.h"

#include <errno.h>
#include <stdlib.h>

// A fabric of at most so many hosts has an entry for each: nothing to search or to forget.
#define ALL_HOSTS_MAX (UINT32_C(1) << 16)
// tau in ticks is less than this, and at least half of it.
#define TAU_TICKS 128

static int make_walk(struct drb_turns *t, const struct drb_setup *s)
{
	uint64_t tau = s->slot_ns * s->tau;
	uint32_t hosts = s->tree.hosts;
	size_t entries = hosts <= ALL_HOSTS_MAX ? hosts : drb_walk_entries(&s->tree, s->tau);
	uint32_t *memory = malloc(2 * entries * sizeof(*memory));

	while (tau >> t->tick >= TAU_TICKS)
		t->tick++;
	if (memory)
		drb_walk_init(&t->walk, &s->tree, memory, entries, (uint32_t)(tau >> t->tick));
	return memory ? 0 : -ENOMEM;
}

int drb_turns_make(struct drb_turns *t, const struct drb_setup *s)
{
	*t = (struct drb_turns){
		.scheme = s->choice.scheme,
		.timed = drb_scheme_packets_only(s->choice.scheme),
		.layer = s->layer,
		.plain = s->addr.mac[1],
		.slot_ns = s->slot_ns,
		.tree = s->tree,
	};
	if (s->choice.scheme != DRB_SCHEME_WALK || s->up_ports == 0)
		return 0;
	t->round = malloc(drb_rounds(&s->tree, s->layer) * sizeof(*t->round));
	if (!t->round || (s->layer == 1 && make_walk(t, s) < 0)) {
		drb_turns_free(t);
		return -ENOMEM;
	}
	drb_rounds_init(t->round, &s->tree, s->layer, s->choice.salt);
	return 0;
}

void drb_turns_free(struct drb_turns *t)
{
	free(t->walk.seen);
	free(t->round);
	t->walk.seen = NULL;
	t->round = NULL;
}
