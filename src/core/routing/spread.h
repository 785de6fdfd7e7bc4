// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Decides when a switch leaves its D-mod-k defaults and spreads what it sends up over all uplinks
// (in rounds: rounds.h).
//
// The law. A core's down-link carries, by default, the packets of one destination D. Let x_D be the
// share of D's packets that leave their D-mod-k path, averaged over sources. Let x be the mean of
// x_D over the destinations below the same port of the cores: their spread packets come on top. The
// load of the down-link is therefore rho (1 - x_D + x). The down-link is stable for every D iff
//
//     x - x_D < 1/rho - 1   for every D.
//
// All down-links are stable if no switch spreads (x = 0), or if all do (x_D = x). If only some
// spread, they overload the down-links of destinations to which the others keep their defaults, and
// no uplink queue shows that. A switch therefore spreads on evidence of its own and marks its
// packets, and switches that hear the marks spread, too.
//
//   evidence  Packets are counted by their default uplink, whatever uplink they then take. The unit
//             of time is that of one packet on an uplink. A switch begins to spread
//             - at once: if within 16 such times, defaults are very uneven and overflow: the
//               uplinks could not carry more than half of what they have to spare;
//             - bursts: if over 32 times 16 such times, defaults are more uneven, or overflow more,
//               than what spreading costs in a fabric of this size;
//             - lasting: if over 2048 such times, defaults overflow by more than half of what is to
//               spare. If by much more, that is found after 512.
//             Unevenness is the variance over uplinks, divided by that of packets with random
//             defaults.
//   marks     A spread packet carries a distance: 1 if this switch has evidence, else one more than
//             what it heard. The switches to which it goes up spread it as well. A switch hears the
//             marks of packets from above. If of the last 32 d packets at least 3/2 d carry a
//             distance of at most n, it spreads, too, at distance n + 1. No switch spreads at a
//             distance above 5, so rumours without evidence die.
//             Few marks are enough at any load, because the law holds for small groups, too, such
//             as the d hosts of a rack. If all packets to one of them are spread, its share there
//             is 1/d, and the switches that could relieve the down-links of the others are
//             everywhere.
//   deafness  A switch that gets less than a quarter of what it sends up cannot hear the switches
//             that it would overload. It spreads at distance 2, so others follow only where they
//             hear enough of it: a single rack that only sends moves too little to overload a link.
//             If a switch has several workers, each sees only a part of the packets from above, so
//             none judges this.
//   queues    An egress queue towards the hosts that stays long is evidence, at a switch above
//             layer 1. A few hosts that keep writing to one pod overload its down-links by the
//             packets that drb redirects. The mean overflow of the switches below does not show
//             that: only the core's port to the pod sees that share.
//             It is evidence, too, if all usable uplinks of such a switch stay long while others
//             are dead. The switches below send it more than it can carry, and spread when they
//             hear its marks.
//   turning   A switch where a packet of distance 1 from below turns round and goes down again has
//             evidence for a while. A packet on a detour is no evidence: it turns more than once,
//             at cores that would keep each other's evidence alive.
//             Spread packets may all go to hosts that send nothing. Then switches that send to
//             hosts beside these hear no marks from there. But all cores get their share of the
//             packets, and a switch above layer 1 with evidence also marks what it sends down.
//             Every switch that gets packets from a core thus hears of it.
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
#define DRB_SPREAD_LAST 5    // the largest that is written; no switch follows it
#define DRB_SPREAD_TURNED 32 // windows for which a packet that turned round is remembered
#define DRB_SPREAD_HEAR 32   // packets for each uplink over which a switch counts marks
#define DRB_SPREAD_DEAF 8    // windows after which it knows whether it is deaf

struct drb_spread {
	// Constant while running.
	uint32_t uplinks;
	uint32_t window; // in the unit of time
	double rate;     // average rate of an uplink, in units of size per unit of time; 0: not
			 // known
	double uneven, overflow; // limits of bursts
	uint64_t *count;         // lent: per uplink, in this window: packets << 40 | sum of sizes
	uint64_t *lasting;       // lent: sizes in the windows of `lasts` so far
	uint64_t *weight;        // lent: per uplink, its rate over the average, 2^-32
	uint32_t queues;         // egress queues of down-ports that it watches
	uint32_t arity;          // d: limits of queues are multiples of it
	uint64_t *stood; // lent: windows for which each queue, then the uplinks, has been long
	// Hot.
	uint8_t distance;                   // of packets that it sends up; 0: it does not spread
	uint8_t heard;                      // distance that follows from marks it heard, 0: none
	uint8_t evidence;                   // bits of enum drb_spread_evidence
	uint32_t began;                     // when the window began
	uint32_t sent;                      // packets sent up in it
	uint32_t hearing;                   // packets from above since the last count of marks
	uint32_t marks[DRB_SPREAD_FAR + 1]; // number of these with each mark
	bool deaf;                          // it gets too few packets from above to hear marks
	bool hears_all;                     // it gets all packets from above
	struct drb_spread_ears {
		uint32_t windows;
		double heard, sent; // packets, in these windows
	} ears;
	// While some uplinks are unusable: the fewest packets that a packet found in the uplink
	// that it joined in this window; UINT32_MAX: none joined one.
	uint32_t joined;
	bool turned;        // a packet of distance 1 turned round here in this window
	uint32_t remembers; // windows for which it still remembers that packet
	// holds: windows for which the evidence of queues still holds. held: windows for which it
	// held last time. since: windows since then.
	uint32_t holds, held, since;
	// Sums over the windows that are judged together.
	struct drb_spread_bursts {
		uint32_t windows;
		double variance, random, overflow;
	} bursts;
	struct drb_spread_lasts {
		uint32_t windows;
		double time, packets;
		bool heard; // marks were counted in this time
	} lasts;
};

enum drb_spread_evidence {
	DRB_SPREAD_AT_ONCE = 1,
	DRB_SPREAD_BY_BURSTS = 2,
	DRB_SPREAD_BY_LASTING = 4,
	DRB_SPREAD_BY_QUEUES = 8,
	DRB_SPREAD_BY_TURNING = 16,
};

// The number of marks, of those counted, that is enough to follow.
static inline uint32_t drb_spread_enough(uint32_t uplinks)
{
	return (3 * uplinks + 1) / 2;
}

// 64-bit words of memory that drb_spread_init() needs.
#define DRB_SPREAD_WORDS(uplinks, downlinks) (3 * (size_t)(uplinks) + (downlinks) + 1)

// Properties of a switch.
struct drb_spread_setup {
	const struct drb_tree *tree;
	uint32_t layer;       // may be a core: it sends nothing up, and only watches its queues
	uint32_t packet_time; // in the caller's unit of time, which wraps at 2^32
	// The rate of all uplinks, as above. 0 if it is unknown: then windows are counted in
	// packets, and a link is assumed to carry 10/9 of the mean.
	double rate;
	bool part; // it is one of several workers that share the packets of the switch
};

// memory: lent for as long as *s is used.
void drb_spread_init(struct drb_spread *s, const struct drb_spread_setup *setup, uint64_t *memory);
// Sets the rate of each uplink, above 0, if they differ.
void drb_spread_set_rates(struct drb_spread *s, const double rate[]);

// Call at the end of a window.
void drb_spread_judge(struct drb_spread *s, uint32_t now);
// Call at the end of a count of marks.
void drb_spread_heard(struct drb_spread *s);

// Call before each burst of packets, or each slot. packets: sent up since the last call. Time must
// not run backwards. True at the end of a window, when drb_spread_look() is due.
static inline bool drb_spread_tick(struct drb_spread *s, uint32_t now, uint32_t packets)
{
	s->sent += packets;
	if (s->rate > 0 ? now - s->began < s->window : s->sent < DRB_SPREAD_COUNT * s->uplinks)
		return false;
	drb_spread_judge(s, now);
	return true;
}

// Checks the queues. waiting: packets in the egress queue of each down-port. Queues to hosts, at
// layer 1, are no evidence.
void drb_spread_look(struct drb_spread *s, const uint32_t waiting[]);

// Counts packets that are sent up. def: their default uplink. size: of all of them, in packets or
// bytes, as `rate`; below 2^24.
static inline void drb_spread_count(struct drb_spread *s, uint32_t def, uint32_t packets,
				    uint32_t size)
{
	s->count[def] += (uint64_t)packets << 40 | size;
}

// Records that a packet joins an uplink with this many packets, while others cannot be used.
static inline void drb_spread_join(struct drb_spread *s, uint32_t waiting)
{
	s->joined = waiting < s->joined ? waiting : s->joined;
}

// Returns the mark of a packet that came with `mark` and is sent up: the lesser of its distance and
// the switch's own. 0: the packet takes its default.
static inline uint8_t drb_spread_mark(const struct drb_spread *s, uint8_t mark)
{
	uint8_t own = (uint8_t)(s->distance - 1) & DRB_SPREAD_FAR;
	uint8_t came = (uint8_t)(mark - 1) & DRB_SPREAD_FAR;

	return (uint8_t)((own < came ? own : came) + 1) & DRB_SPREAD_FAR;
}

// The same for a packet that is sent down. from_below: it turns round here, and is on no detour.
static inline uint8_t drb_spread_mark_down(struct drb_spread *s, uint8_t mark, bool from_below)
{
	s->turned |= from_below && mark == 1;
	return drb_spread_mark(s, mark);
}

// Records a packet that came from above with this mark.
static inline void drb_spread_hear(struct drb_spread *s, uint8_t mark)
{
	s->marks[mark & DRB_SPREAD_FAR]++;
	if (++s->hearing >= DRB_SPREAD_HEAR * s->uplinks)
		drb_spread_heard(s);
}
