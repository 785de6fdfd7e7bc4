// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who sends to whom, slot by slot: the traffic of the packet experiments. Paper: "Permutation-
// packet Routing" for `permutation`; the others are the usual patterns of interconnection networks.
// Used by the simulator and by the traffic writer. Pure: the caller lends the memory and the random
// numbers; the same generator state gives the same packets.
//
//   text         destination of host h in slot t
//   permutation  image of h under a permutation drawn afresh every slot
//   fixed        image of h under one permutation drawn at the start
//   random       uniformly random, drawn afresh every slot
//   mixed        a random half of the hosts as in `fixed`; the other half share the remaining
//                destinations by a fresh permutation every slot
//   stride:K     (h + K) mod N, 1 <= K < N
//   tornado      (h + N/2 - 1) mod N (1 for N = 2)
//   all-to-all   (h + 1 + t mod (N-1)) mod N
//   transpose    digits (h_l, ..., h_1) rotated by half their number   } read with h_l mod d, and
//   in reversal     digits in opposite order                              } the other half of the
//   tree hotspot:K    half of the packets to a random one of K hot hosts, the rest to random hosts
//   incast:K     K random hosts send to one random host, all others are silent
//   racks:F      as `mixed`, but the hosts that keep their destination are those of a share F of
//                the layer-1 switches, drawn at random: 0 < F <= 1, at least one switch
//   turns:C      C permutations drawn at the start, one slot after the other, again and again
//   epoch:S      a permutation drawn afresh every S slots
//   jobs:K       the hosts in K groups drawn at random, each with a pattern within itself: fixed,
//                all-to-all, permutation, tornado, turns:10, epoch:10, then from the first again
//   oneway:F:A   a random half of the pods (what is below a port of a core) send to the hosts of the
//                others, each to one: those of a share F of the sending racks keep it, those of the
//                others draw it afresh every slot. The others answer likewise, afresh, in a share A
//                of the slots: 0 <= F, A <= 1
//   sink:F       a random pod only receives. Racks elsewhere, each by destinations below one of its
//                uplinks, keep a share F of its hosts; all else as `permutation`: 0 < F <= 1
//   silent:F     a share F of the racks neither sends nor receives, a half of the others keep their
//                destinations: 0 < F < 1
//   unequal:F    all racks but a share F send in a tenth of the slots only; half of all keep their
//                destinations: 0 < F < 1
//   file:PATH    what a file says, see struct drb_traffic_file
// No host sends to itself: permutations are drawn without fixed points, random destinations among
// the others, and a hot host that draws itself draws again among all others. Transposed and
// reversed labels lie in the other half of the tree, so that every such packet crosses the core.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/math/random.h"
#include "core/fabric/tree.h"

enum drb_pattern {
	DRB_PATTERN_PERMUTATION,
	DRB_PATTERN_FIXED,
	DRB_PATTERN_RANDOM,
	DRB_PATTERN_MIXED,
	DRB_PATTERN_STRIDE,
	DRB_PATTERN_TORNADO,
	DRB_PATTERN_ALL_TO_ALL,
	DRB_PATTERN_TRANSPOSE,
	DRB_PATTERN_REVERSAL,
	DRB_PATTERN_HOTSPOT,
	DRB_PATTERN_INCAST,
	DRB_PATTERN_RACKS,
	DRB_PATTERN_TURNS,
	DRB_PATTERN_EPOCH,
	DRB_PATTERN_JOBS,
	DRB_PATTERN_ONEWAY,
	DRB_PATTERN_SINK,
	DRB_PATTERN_SILENT,
	DRB_PATTERN_UNEQUAL,
	DRB_PATTERN_FILE,
	DRB_PATTERN_COUNT
};

// Traffic as a file says: from a slot on, host `from` sends to `to`, a host or one of a group that
// is drawn for each packet, at a rate: the share of the slots in which it would send to it at
// rho = 1. Each pair has one rate at a time; rates of one host add up to at most 1 at any time. See
// common/traffic/traffic_file.h for the file.
struct drb_traffic_file {
	uint32_t hosts; // labels in it are below
	// Pairs, by host `from`: those of h are first[h] .. first[h + 1] - 1.
	uint32_t *first, *to; // to: a host, or DRB_TRAFFIC_GROUP and the number of a group
	uint32_t pairs;
	// Groups: those of g are member[begin[g]] .. member[begin[g + 1] - 1].
	uint32_t *begin, *member;
	uint32_t groups;
	// Changes of rates, by slot.
	struct drb_traffic_change {
		uint32_t slot, pair;
		uint32_t rate; // 2^-31
	} * change;
	uint32_t changes;
};

#define DRB_TRAFFIC_RATE_ONE (UINT32_C(1) << 31)
#define DRB_TRAFFIC_GROUP (UINT32_C(1) << 31)

#define DRB_TRAFFIC_PATH_MAX 248
#define DRB_TRAFFIC_NAME_MAX (DRB_TRAFFIC_PATH_MAX + 8)

struct drb_traffic_kind {
	enum drb_pattern pattern;
	uint32_t k;                      // K, C or S where the pattern has one, else 0
	double share, answers;           // F and A where the pattern has them, else 0
	char path[DRB_TRAFFIC_PATH_MAX]; // of file
	struct drb_traffic_file *file;   // what is in it: the caller's, who reads it
};

// "permutation", "stride:3", ... ; -EINVAL if there is no such pattern or what stands behind the
// colon is missing, zero, malformed, too long or given to a pattern without one.
int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind);
// What drb_traffic_parse reads back.
void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX]);
// "permutation", "stride:K", ...: for help texts; NULL beyond the last.
const char *drb_traffic_usage(enum drb_pattern pattern);

// 0, or -ERANGE if K, or a label in the file, does not fit this number of hosts.
int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts);

struct drb_traffic {
	struct drb_traffic_kind kind;
	uint32_t hosts;      // N
	uint64_t send_below; // a host sends iff 32 random bits are below: rho 2^32
	uint32_t *map;       // N: destination in this slot, or DRB_NO_LABEL; of jobs what each
			     // group draws, as places within it
	uint32_t *order;     // N: hosts; first those whose destinations are drawn anew every slot,
			     // where some keep theirs; of jobs group by group
	uint32_t free;       // hosts that share the fresh permutation
	uint32_t answering;  // the last of the order, which share another (oneway)
	uint32_t *weight;    // N, of patterns with roles: shares of the slots, 2^-32
	uint32_t *rate;      // of file: of each pair, now
	uint32_t next;       // change of file
	uint64_t turn_seed;  // of the permutations that take turns
};

// 32-bit words of memory that drb_traffic_init() wants, of patterns without file or roles, and of any.
#define DRB_TRAFFIC_WORDS(hosts) (2 * (size_t)(hosts))
static inline size_t drb_traffic_words(const struct drb_traffic_kind *kind, uint32_t hosts)
{
	const bool roles =
		kind->pattern >= DRB_PATTERN_ONEWAY && kind->pattern <= DRB_PATTERN_UNEQUAL;

	return DRB_TRAFFIC_WORDS(hosts) + (kind->file ? kind->file->pairs : 0) +
	       (roles ? 2 * (size_t)hosts : 0);
}

struct drb_traffic_setup {
	const struct drb_tree *tree;
	struct drb_traffic_kind kind;
	double rho; // 0..1: each host that has a destination sends with this probability per slot
	uint32_t *
		memory; // drb_traffic_words() words, lent for as long as the traffic lasts, as the file is
};

// Draws what is drawn once. -ERANGE if the kind does not fit the number of hosts, -EINVAL if rho is
// out of range or a file was not read.
int drb_traffic_init(struct drb_traffic *traffic, const struct drb_traffic_setup *setup,
		     struct drb_rng *rng);

// Destination of every host in this slot into dest[0..N-1], DRB_NO_LABEL where a host is silent.
// Slots follow each other from 0 on.
void drb_traffic_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[]);
