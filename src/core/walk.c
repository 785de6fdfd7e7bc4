// SPDX-License-Identifier: BSD-3-Clause
#include <drb/walk.h>

#include <drb/rng.h>

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

void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, struct drb_walk_entry *entry,
		   size_t entries, uint32_t tau)
{
	bool all = entries == t->hosts;

	*w = (struct drb_walk){
		.entry = entry,
		.mask = all ? UINT32_MAX : (uint32_t)entries - 1,
		.tau = tau,
	};
	for (size_t i = 0; i < entries; i++)
		entry[i] = (struct drb_walk_entry){.dest = all ? i & (DRB_HOSTS_MAX - 1) : 0,
						   .last = LONG_AGO};
}

struct drb_walk_entry *drb_walk_find(struct drb_walk *w, uint32_t dest, uint32_t now)
{
	uint32_t home = drb_walk_home(w, dest) & ~(uint32_t)(DRB_WALK_WAYS - 1);
	struct drb_walk_entry *set = &w->entry[home], *oldest = set;

	for (uint32_t i = 0; i < DRB_WALK_WAYS; i++) {
		if (set[i].dest == dest)
			return &set[i];
		if (now - set[i].last > now - oldest->last)
			oldest = &set[i];
	}
	*oldest =
		(struct drb_walk_entry){.dest = dest & (DRB_HOSTS_MAX - 1), .last = now - LONG_AGO};
	return oldest;
}

void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt)
{
	for (uint32_t i = 0; i < drb_rounds(t, layer); i++)
		round[i] = (drb_round)drb_scale32((uint32_t)(drb_mix64(salt + i) >> 32), t->arity);
}
