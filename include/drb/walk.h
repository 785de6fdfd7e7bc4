// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Beyond the paper, scheme walk: traffic that persists is spread evenly, by local rules, without a
// clock and without messages.
//
//   who walks  Packets to a destination that the source's layer-1 switch sends to again and again:
//              from the third packet of a streak on, each of which follows the one before within
//              tau. While more than a few of a switch's packets walk, all that it sends up do. The
//              packet carries the mark up to the switches of upper layers.
//   where to   Down-links below a switch of layer m are shared by the destinations below a switch
//              of layer m of their side: a group. For each group a switch keeps a round: walking
//              packets take the uplinks in turn, so each uplink, and the down-link that mirrors it,
//              gets an equal share of the group's packets, evenly spaced. Of the next two uplinks
//              of the round the less loaded one goes first: that shortens queues on the way up and
//              leaves the shares as they are, to within one packet.
//
// All other packets keep D-mod-k defaults and threshold-based two-choice. Why the exceptions: one
// packet after another to the same destination is often chance, and rounds know nothing of the
// disjoint down-paths that D-mod-k gives to fresh permutations. But where flows persist they are
// on all down-links, and a destination reached over one of them only would overload it.
// Pure: memory and time come from the caller.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drb/choice.h>
#include <drb/tree.h>

#define DRB_WALK_TAU 6   // packet times: several of the gaps between packets of a busy flow
#define DRB_WALK_GRACE 1 // packets of a streak, after its first, that do not walk
#define DRB_WALK_SHARE (UINT32_MAX / 100) // of packets in streaks, from which all walk

// What a layer-1 switch knows of one destination.
struct drb_walk_entry {
	uint32_t dest : 30;  // label; DRB_HOSTS_MAX fits
	uint32_t streak : 2; // packets that followed the one before within tau, at most GRACE + 1
	uint32_t last;       // time of the last packet, in the caller's unit
};

// The destinations that one layer-1 switch sent to lately: with an entry for every host, or else
// in sets of DRB_WALK_WAYS, where in a full set the one not seen for longest is forgotten.
#define DRB_WALK_WAYS 8

struct drb_walk {
	struct drb_walk_entry *entry; // lent by the caller
	uint32_t mask;                // entries - 1, a power of two - 1; all hosts: UINT32_MAX
	uint32_t streaks;             // moving average of the share of packets in streaks, in 2^-32
	uint32_t tau;                 // in the unit of time
};

// Entries that suit a switch of t, with all its destinations that are live within tau packet
// times: one for every host if they are not more than a multiple of that.
size_t drb_walk_entries(const struct drb_tree *t, uint32_t tau_packets);
// entries: as drb_walk_entries() said, or as many as hosts; entry stays the caller's. Time is
// counted modulo 2^32, so it should be coarse enough for that to be much longer than tau.
void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, struct drb_walk_entry *entry,
		   size_t entries, uint32_t tau);
// The entry of a destination that is not where its hash says.
struct drb_walk_entry *drb_walk_find(struct drb_walk *w, uint32_t dest, uint32_t now);

static inline uint32_t drb_walk_home(const struct drb_walk *w, uint32_t dest)
{
	return w->mask == UINT32_MAX ? dest : (uint32_t)drb_mix64(dest) & w->mask;
}

// True if the packet to dest that is sent up now walks; time must not run backwards.
static inline bool drb_walk_next(struct drb_walk *w, uint32_t dest, uint32_t now)
{
	struct drb_walk_entry *e = &w->entry[drb_walk_home(w, dest)];

	if (__builtin_expect(e->dest != dest, 0))
		e = drb_walk_find(w, dest, now);
	uint32_t streak = e->streak + (e->streak <= DRB_WALK_GRACE);
	streak = now - e->last > w->tau ? 0 : streak;
	*e = (struct drb_walk_entry){.dest = dest, .streak = streak & 3, .last = now};
	bool walks = streak > DRB_WALK_GRACE;
	// Averaged over the last 1024 or so.
	w->streaks += (walks ? UINT32_C(1) << 22 : 0) - (w->streaks >> 10);
	return walks || w->streaks > DRB_WALK_SHARE;
}

// The round of a group: the uplink whose turn it is, and whether the one after it went before it.
typedef uint16_t drb_round;

#define DRB_ROUND_AHEAD 0x8000

// Groups of destinations at layer m < l: 2 d^(l-m).
static inline uint32_t drb_rounds(const struct drb_tree *t, uint32_t layer)
{
	return 2 * t->pow[t->layers - layer];
}

static inline uint32_t drb_round_of(const struct drb_tree *t, uint32_t layer, uint32_t dest)
{
	return drb_div(dest, &t->by[layer]);
}

// The rounds of a switch of this layer, which begin anywhere: all switches at the same uplink would
// meet on the way down.
void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt);

// The uplink of a packet that walks. *turn: whose turn it was.
static inline uint32_t drb_round_next(drb_round *round, uint32_t uplinks, struct drb_loads loads,
				      uint32_t *turn)
{
	uint32_t at = *round & ~DRB_ROUND_AHEAD, next = at + 1 == uplinks ? 0 : at + 1;
	uint32_t after = next + 1 == uplinks ? 0 : next + 1;
	bool ahead = *round & DRB_ROUND_AHEAD;
	bool swap = !ahead & (drb_load(loads, next) < drb_load(loads, at));

	*round = (drb_round)drb_select(swap, at | DRB_ROUND_AHEAD, ahead ? after : next);
	*turn = at;
	return drb_select(swap, next, at);
}
