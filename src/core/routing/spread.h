// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// When a switch leaves its D-mod-k defaults and spreads what it sends up over all uplinks (in
// rounds: rounds.h).
//
// The law. A core's down-link carries, by default, the packets of one destination D. Let x_D be the
// share of D's packets that leave their D-mod-k path, averaged over sources, and x the mean of x_D
// over the destinations below the same port of the cores: what is spread of theirs comes on top, so
// the down-link's load is rho (1 - x_D + x). It is stable for every D iff
//
//     x - x_D <= 1/rho - 1   for every D.
//
// Nobody spreading (x = 0) and everybody spreading (x_D = x) are safe; some spreading overloads the
// down-links of the destinations that the others keep to, which no uplink queue can see. So a
// switch spreads on evidence of its own, and says so, and who hears it spreads too.
//
//   evidence  Packets are counted by their default uplink, whatever uplink they then take. A switch
//             begins to spread if, in the time of one packet on an uplink as unit,
//             - at once: within 16, defaults are very uneven and overflow: what the uplinks could
//               not carry is more than half of what they have to spare;
//             - bursts: over 32 times 16, defaults are more uneven, or overflow more, than what
//               spreading costs in a fabric of this size;
//             - lasting: over 2048, they overflow by more than half of what is to spare; if by
//               much more, it is found after 512.
//             Uneven: the variance over uplinks against that of packets with random defaults.
//   marks     A packet that is spread carries a distance: 1 if this switch has evidence, else one
//             more than what it heard. The switches that it is sent up by spread it as well. A switch
//             that gets packets from above hears their marks: if of the last 32 d at least 3/2 d
//             carry a distance of at most n, it spreads, too, at distance n + 1. Nobody does at a
//             distance above 5, so without evidence rumours die. So few are enough at any load, for
//             the law holds for small groups, too, such as the d hosts of a rack: one of them that
//             all packets are spread to is a share of 1/d there, and those who could relieve the
//             others' down-links are everywhere.
//   deafness  A switch that gets less than a quarter of what it sends up cannot hear whom it would
//             overload. It spreads as if it had evidence. One of several workers gets a part of what comes,
//             and may send what belongs to another part: it cannot judge this, and does not.
//   turning   Where a packet of distance 1 from below turns round and goes down again is evidence, too, for a while.
//             One on a detour does so more than once, at cores that would keep each other's evidence alive: it is none.
//             What is spread may all go to hosts that send nothing, so that nobody who sends to hosts beside
//             them hears of it from there. But all cores get their share of it, and a switch above layer 1 with
//             evidence marks what it sends down, too: those that get anything from a core hear of it.
// Pure: memory and time come from the caller.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define DRB_SPREAD_WINDOW 16 // packet times
#define DRB_SPREAD_BURSTS 32 // windows
#define DRB_SPREAD_LASTS 128 // windows
#define DRB_SPREAD_COUNT 128 // packets for each uplink in a window, where the rate is not known
#define DRB_SPREAD_FAR 7     // the largest distance that a mark of 3 bits can be; 0: not spread
#define DRB_SPREAD_LAST 5    // the largest that is written; nobody follows it
#define DRB_SPREAD_TURNED 32 // windows for which a packet that turned round is remembered
#define DRB_SPREAD_HEAR 32   // a switch hears over so many packets for each uplink
#define DRB_SPREAD_DEAF 8    // windows, after which it knows whether it is deaf

struct drb_spread {
	// Constant while running.
	uint32_t uplinks;
	uint32_t window; // in the unit of time
	double rate;     // what an uplink can send in a unit of time, in the unit of sizes, on
			 // average; 0: not known
	double uneven, overflow; // limits of bursts
	uint64_t *count;   // lent: of each uplink, in this window: packets << 40 | sizes added up
	uint64_t *lasting; // lent: sizes in the windows of `lasts` so far
	uint64_t *weight;  // lent: of each uplink, its rate over the average, 2^-32
	// Hot.
	uint8_t distance;                   // of what it sends up; 0: it does not spread
	uint8_t heard;                      // distance by what it heard, 0: none
	uint8_t evidence;                   // bits of enum drb_spread_evidence
	uint32_t began;                     // of the window
	uint32_t sent;                      // packets in it
	uint32_t hearing;                   // packets from above, heard since the last count
	uint32_t marks[DRB_SPREAD_FAR + 1]; // of these
	bool deaf;                          // it cannot hear
	bool hears_all;                     // it gets all that comes from above
	struct drb_spread_ears {
		uint32_t windows;
		double heard, sent; // packets, in these
	} ears;
	bool turned;        // a packet of distance 1 turned round here in this window
	uint32_t remembers; // windows for which it will remember one
	// Of the windows judged together.
	struct drb_spread_bursts {
		uint32_t windows;
		double variance, random, overflow;
	} bursts;
	struct drb_spread_lasts {
		uint32_t windows;
		double time, packets;
		bool heard; // somebody, in this time
	} lasts;
};

enum drb_spread_evidence {
	DRB_SPREAD_AT_ONCE = 1,
	DRB_SPREAD_BY_BURSTS = 2,
	DRB_SPREAD_BY_LASTING = 4,
	DRB_SPREAD_BY_TURNING = 8,
};

// Marks that are heard, of those.
static inline uint32_t drb_spread_enough(uint32_t uplinks)
{
	return (3 * uplinks + 1) / 2;
}

// 64-bit words of memory that drb_spread_init() wants.
#define DRB_SPREAD_WORDS(uplinks) (3 * (size_t)(uplinks))

// What is told of a switch.
struct drb_spread_setup {
	const struct drb_tree *tree;
	uint32_t layer;       // of a core, too: it sends nothing up, and only marks what goes down
	uint32_t packet_time; // in the caller's unit of time, which wraps at 2^32
	// Of all uplinks, as above; 0 where it is not known: then windows are counted in packets, and a link
	// is taken for one that can carry 10/9 of the mean.
	double rate;
	bool part; // it is one of several that share the packets of the switch
};

// memory: lent for as long as *s is used.
void drb_spread_init(struct drb_spread *s, const struct drb_spread_setup *setup, uint64_t *memory);
// Where they differ: the rate of each uplink, above 0.
void drb_spread_set_rates(struct drb_spread *s, const double rate[]);

// The end of a window.
void drb_spread_judge(struct drb_spread *s, uint32_t now);
// The end of a count of marks.
void drb_spread_heard(struct drb_spread *s);

// To be called before each burst of packets, or each slot. packets: sent up since the last call. Time
// must not run backwards.
static inline void drb_spread_tick(struct drb_spread *s, uint32_t now, uint32_t packets)
{
	s->sent += packets;
	if (s->rate > 0 ? now - s->began >= s->window : s->sent >= DRB_SPREAD_COUNT * s->uplinks)
		drb_spread_judge(s, now);
}

// Packets are sent up. def: their default uplink. size: of all, packets or octets, as rate; below
// 2^24.
static inline void drb_spread_count(struct drb_spread *s, uint32_t def, uint32_t packets,
				    uint32_t size)
{
	s->count[def] += (uint64_t)packets << 40 | size;
}

// The mark of a packet that came with one, and is sent up: the lesser distance of that and the switch's own. 0: it
// takes its default.
static inline uint8_t drb_spread_mark(const struct drb_spread *s, uint8_t mark)
{
	uint8_t own = (uint8_t)(s->distance - 1) & DRB_SPREAD_FAR;
	uint8_t came = (uint8_t)(mark - 1) & DRB_SPREAD_FAR;

	return (uint8_t)((own < came ? own : came) + 1) & DRB_SPREAD_FAR;
}

// The same of a packet that is sent down. from_below: it turns round here, and is on no detour.
static inline uint8_t drb_spread_mark_down(struct drb_spread *s, uint8_t mark, bool from_below)
{
	s->turned |= from_below && mark == 1;
	return drb_spread_mark(s, mark);
}

// A packet came from above with this mark.
static inline void drb_spread_hear(struct drb_spread *s, uint8_t mark)
{
	s->marks[mark & DRB_SPREAD_FAR]++;
	if (++s->hearing >= DRB_SPREAD_HEAR * s->uplinks)
		drb_spread_heard(s);
}
