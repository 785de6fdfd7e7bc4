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
//              gets an equal share of the group's packets, evenly spaced. Of the uplink whose turn
//              it is and the next one the less loaded is taken, and the other waits: that shortens
//              queues on the way up and leaves the shares as they are, to within one packet.
//
// All other packets keep D-mod-k defaults and threshold-based two-choice. Why the exceptions: one
// packet after another to the same destination is often chance, and rounds know nothing of the
// disjoint down-paths that D-mod-k gives to fresh permutations. But where flows persist they are
// on all down-links, and a destination reached over one of them only would overload it.
// Pure: memory and time come from the caller.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/routing/choice.h"
#include "core/fabric/tree.h"

#define DRB_WALK_TAU 6   // packet times: several of the gaps between packets of a busy flow
#define DRB_WALK_GRACE 1 // packets of a streak, after its first, that do not walk
#define DRB_WALK_SHARE (UINT32_MAX / 100) // of packets in streaks, from which all walk
// While all walk, streaks are looked at for so many packets, counted anew, then left alone for so
// many.
#define DRB_WALK_LOOK 1024
#define DRB_WALK_REST (7 * DRB_WALK_LOOK)

// The destinations that one layer-1 switch sent to lately: all hosts, or else sets of
// DRB_WALK_WAYS, where in a full set the one not seen for longest is forgotten.
#define DRB_WALK_WAYS 8

struct drb_walk {
	// Lent by the caller. Of each entry when its destination was last seen, in units of a
	// quarter of the caller's, plus how many packets followed the one before within tau, at
	// most GRACE + 1.
	uint32_t *seen;
	uint32_t *dest;      // of each entry; all hosts: NULL, entry h is host h
	uint32_t mask;       // entries - 1, a power of two - 1
	uint32_t tau;        // in the unit of time
	uint32_t streaks;    // moving average of the share of packets in streaks, in 2^-32
	bool all;            // walk, for there were many streaks
	uint32_t look, rest; // packets left of
};

// Entries that suit a switch of t, with all its destinations that are live within tau packet
// times: one for every host if they are not more than a multiple of that.
size_t drb_walk_entries(const struct drb_tree *t, uint32_t tau_packets);
// entries: as drb_walk_entries() said, or as many as hosts. memory: 2 words for each, stays the
// caller's. Time is counted modulo 2^30, so it should be coarse enough for that to be much longer
// than tau.
void drb_walk_init(struct drb_walk *w, const struct drb_tree *t, uint32_t *memory, size_t entries,
		   uint32_t tau);
// The entry of a destination, which may be new; now as in seen.
uint32_t drb_walk_find(uint32_t *dests, uint32_t *seen, uint32_t mask, uint32_t dest, uint32_t now);

// Looks at a packet to dest that is sent up now; true if it walks. Time must not run backwards.
static inline bool drb_walk_look(struct drb_walk *w, uint32_t dest, uint32_t now)
{
	uint32_t at = w->dest ? drb_walk_find(w->dest, w->seen, w->mask, dest, now << 2) : dest;
	uint32_t entry = w->seen[at], streak = entry & 3;

	streak += streak <= DRB_WALK_GRACE;
	// 4 (now - last) - streak + 3 is above 4 tau + 3 where now - last is above tau.
	if ((now << 2 | 3) - entry > (w->tau << 2 | 3))
		streak = 0;
	w->seen[at] = now << 2 | streak;
	bool walks = streak > DRB_WALK_GRACE;
	// Averaged over the last 1024 or so.
	w->streaks += (walks ? UINT32_C(1) << 22 : 0) - (w->streaks >> 10);
	w->all |= w->streaks > DRB_WALK_SHARE;
	walks |= w->all;
	w->look -= w->all;
	if (__builtin_expect(w->look == 0, 0)) {
		w->all = w->streaks > DRB_WALK_SHARE;
		w->rest = w->all ? DRB_WALK_REST : 0;
		w->look = DRB_WALK_LOOK;
		w->streaks = 0;
	}
	return walks;
}

// The same for any packet that is sent up.
static inline bool drb_walk_next(struct drb_walk *w, uint32_t dest, uint32_t now)
{
	if (w->rest == 0)
		return drb_walk_look(w, dest, now);
	w->rest--;
	return true;
}

// True if all of the next count packets walk, whatever their destinations: these need no
// drb_walk_next(), but drb_walk_skip() afterwards.
static inline bool drb_walk_all(const struct drb_walk *w, uint32_t count)
{
	return w->rest >= count;
}

static inline void drb_walk_skip(struct drb_walk *w, uint32_t count)
{
	w->rest -= count;
}

// The round of a group: the uplink whose turn it is, and the next one in the upper half.
typedef uint32_t drb_round;

// Groups of destinations at layer m < l: 2 d^(l-m).
static inline uint32_t drb_rounds(const struct drb_tree *t, uint32_t layer)
{
	return 2 * t->pow[t->layers - layer];
}

// The group of a destination. by: divides by d^m.
static inline uint32_t drb_round_of(const struct drb_div *by, uint32_t dest)
{
	return drb_div(dest, by);
}

// The rounds of a switch of this layer, which begin anywhere: all switches at the same uplink would
// meet on the way down.
void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt);

// The uplink of a packet that walks. *turn: whose turn it was.
static inline uint32_t drb_round_next(drb_round *round, uint32_t uplinks, struct drb_loads loads,
				      uint32_t *turn)
{
	uint32_t first = *round & UINT16_MAX, second = *round >> 16;
	uint32_t next = second + 1 == uplinks ? 0 : second + 1;
	bool other = drb_load(loads, second) < drb_load(loads, first);
	uint32_t up = drb_select(other, second, first);

	*round = (first ^ second ^ up) | next << 16;
	*turn = first;
	return up;
}
