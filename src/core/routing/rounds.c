// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/rounds.h"

#include "core/math/random.h"

// How many entries each destination has that may be live at once.
#define ROOM 4
// An entry of no destination looks as long forgotten as possible.
#define LONG_AGO (UINT32_C(1) << 31)

size_t drb_walk_entries(const struct drb_tree *t, uint32_t tau_packets)
{
	size_t entries = DRB_WALK_WAYS;

	while (entries < ROOM * (size_t)t->arity * ((size_t)tau_packets + 1))
		entries *= 2;
	return entries < t->hosts ? entries : t->hosts;
}

void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, uint32_t *memory, size_t entries,
		   uint32_t tau)
{
	*w = (struct drb_walk){
		.seen = memory,
		.dest = entries == t->hosts ? NULL : memory + entries,
		.mask = (uint32_t)entries - 1,
		.tau = tau,
		.look = DRB_WALK_LOOK,
	};
	for (size_t i = 0; i < entries; i++) {
		memory[i] = LONG_AGO;
		memory[entries + i] = UINT32_MAX;
	}
}

uint32_t drb_walk_find(uint32_t *dests, uint32_t *seen, uint32_t mask, uint32_t dest, uint32_t now)
{
	uint32_t set = (uint32_t)drb_mix64(dest) & mask & ~(uint32_t)(DRB_WALK_WAYS - 1);
	uint32_t oldest = set;

	for (uint32_t i = set; i < set + DRB_WALK_WAYS; i++) {
		if (dests[i] == dest)
			return i;
		if (now - seen[i] > now - seen[oldest])
			oldest = i;
	}
	dests[oldest] = dest;
	seen[oldest] = now - LONG_AGO;
	return oldest;
}

void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt)
{
	for (uint32_t i = 0; i < drb_rounds(t, layer); i++) {
		uint32_t first = drb_scale32((uint32_t)(drb_mix64(salt + i) >> 32), t->arity);
		round[i] = first | (first + 1 == t->arity ? 0 : first + 1) << 16;
	}
}
