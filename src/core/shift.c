// SPDX-License-Identifier: BSD-3-Clause
#include <drb/shift.h>

#include <stdbool.h>

#include <drb/rng.h>

size_t drb_walk_entries(uint32_t arity, uint32_t tau_packets)
{
	size_t entries = DRB_WALK_WAYS;

	while (entries < 4 * (size_t)arity * ((size_t)tau_packets + 1))
		entries *= 2;
	return entries;
}

void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, struct drb_walk_entry *entry,
		   size_t entries, uint64_t tau)
{
	*w = (struct drb_walk){
		.entry = entry,
		.sets_mask = (uint32_t)(entries / DRB_WALK_WAYS) - 1,
		.count = drb_shift_count(t),
		.tau = tau,
	};
	for (size_t i = 0; i < entries; i++)
		entry[i] = (struct drb_walk_entry){.dest = DRB_WALK_FREE};
}

// The entry of dest with its streak brought up to now.
static struct drb_walk_entry *visit(struct drb_walk *w, uint32_t dest, uint64_t now)
{
	uint32_t set = (uint32_t)drb_mix64(dest) & w->sets_mask;
	struct drb_walk_entry *entry = w->entry + (size_t)set * DRB_WALK_WAYS, *oldest = entry;

	for (int i = 0; i < DRB_WALK_WAYS; i++) {
		struct drb_walk_entry *e = &entry[i];
		if (e->dest == dest) {
			e->streak = now - e->last > w->tau ? 0 : e->streak + 1;
			e->last = now;
			return e;
		}
		if (e->dest == DRB_WALK_FREE ||
		    (oldest->dest != DRB_WALK_FREE && e->last < oldest->last))
			oldest = e;
	}
	*oldest = (struct drb_walk_entry){.last = now, .dest = dest};
	return oldest;
}

uint32_t drb_walk_next(struct drb_walk *w, uint32_t dest, uint64_t now)
{
	uint32_t streak = visit(w, dest, now)->streak;
	bool walks = streak > DRB_WALK_GRACE;

	// Share of walking packets, as 32-bit fraction, averaged over the last 1024 or so.
	w->walking += (walks ? UINT32_C(1) << 22 : 0) - (w->walking >> 10);
	w->packets++;
	if (walks)
		return (streak - DRB_WALK_GRACE) % w->count;
	return w->walking > DRB_WALK_SHARE ? w->packets % w->count : 0;
}
