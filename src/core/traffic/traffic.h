// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traffic of the packet experiments: who sends to whom in each slot. Paper: "Permutation-packet
// Routing" for `permutation`. The others are the usual patterns of interconnection networks. The
// simulator and the traffic writer use it. Pure: the caller lends the memory and the random
// numbers; the same generator state gives the same packets.
//
//   text         destination of host h in slot t
//   permutation  image of h under a permutation that is drawn in every slot
//   fixed        image of h under one permutation drawn at the start
//   random       uniformly random, drawn in every slot
//   mixed        `fixed` for a random half of the hosts; the other half share the remaining
//                destinations by a permutation that is drawn in every slot
//   stride:K     (h + K) mod N, 1 <= K < N
//   tornado      (h + N/2 - 1) mod N (1 for N = 2)
//   all-to-all   (h + 1 + t mod (N-1)) mod N
//   transpose    digits (h_l, ..., h_1) rotated by half their number   } read with h_l mod d, and
//   reversal     digits in opposite order                              } in the other half of the
//                                                                        tree
//   hotspot:K    half of the packets to a random one of K hot hosts, the rest to random hosts
//   incast:K     K random hosts send to one random host; all others send nothing
//   racks:F      `mixed`, but the hosts that keep their destination are those of a random share F
//                of the layer-1 switches: 0 < F <= 1, at least one switch
//   turns:C      C permutations drawn at the start, one per slot in turn
//   epoch:S      a permutation that is drawn every S slots
//   trains:S     `fixed`, but in each slot random pairs of hosts exchange their destinations. A
//                host keeps its destination for S slots on average; each host changes on its own
//   jobs:K       K random groups of hosts, each with a pattern within the group: fixed, all-to-all,
//                permutation, tornado, turns:10, epoch:10, then from the first again
//   oneway:F:A   the hosts of a random half of the pods (subtrees below a port of a core) send to
//                those of the other half, one to one. A share F of the sending racks keep their
//                destinations; the others draw them in every slot. The other half answers like
//                this, with destinations drawn in every slot, in a share A of the slots:
//                0 <= F, A <= 1
//   sink:F       a random pod only receives. A share F of its hosts have one fixed sender each in
//                other pods; the senders of a rack keep destinations below one of their uplinks.
//                All else as `permutation`: 0 < F <= 1
//   silent:F     a share F of the racks neither sends nor receives; half of the others keep their
//                destinations: 0 < F < 1
//   idle:F       a random share F of the hosts neither sends nor receives; the others as in
//                `permutation`: 0 < F < 1, at least two hosts are left
//   unequal:F    a share F of the racks sends in all slots, the others in a tenth of them; half of
//                all racks keep their destinations: 0 < F < 1
//   file:PATH    from a file, see struct drb_traffic_file
// No host sends to itself. Permutations are drawn without fixed points, and random destinations
// among the other hosts. A hot host that draws itself draws again among all others. Transposed and
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
	DRB_PATTERN_TRAINS,
	DRB_PATTERN_JOBS,
	DRB_PATTERN_ONEWAY,
	DRB_PATTERN_SINK,
	DRB_PATTERN_SILENT,
	DRB_PATTERN_IDLE,
	DRB_PATTERN_UNEQUAL,
	DRB_PATTERN_FILE,
	DRB_PATTERN_COUNT
};

// Traffic from a file. From a slot on, host `from` sends to `to`, a host or a member of a group
// that is drawn for each packet, at a rate. The rate is the share of slots in which it would send
// at rho = 1. Each pair has one rate at a time; the rates of one host add up to at most 1 at any
// time. common/traffic/traffic_file.h describes the file.
struct drb_traffic_file {
	uint32_t hosts; // all labels in it are below this
	// Pairs, ordered by host `from`: those of h are first[h] .. first[h + 1] - 1.
	uint32_t *first, *to; // a host, or DRB_TRAFFIC_GROUP plus the number of a group
	uint32_t pairs;
	// Groups: the members of g are member[begin[g]] .. member[begin[g + 1] - 1].
	uint32_t *begin, *member;
	uint32_t groups;
	// Changes of rates, in the order of slots.
	struct drb_traffic_change {
		uint32_t slot, pair;
		uint32_t rate; // in units of 2^-31
	} * change;
	uint32_t changes;
};

#define DRB_TRAFFIC_RATE_ONE (UINT32_C(1) << 31)
#define DRB_TRAFFIC_GROUP (UINT32_C(1) << 31)

#define DRB_TRAFFIC_PATH_MAX 248
#define DRB_TRAFFIC_NAME_MAX (DRB_TRAFFIC_PATH_MAX + 8)

struct drb_traffic_kind {
	enum drb_pattern pattern;
	uint32_t k;                      // K, C or S if the pattern has one, else 0
	double share, answers;           // F and A if the pattern has them, else 0
	char path[DRB_TRAFFIC_PATH_MAX]; // path of pattern file
	struct drb_traffic_file *file;   // its content; owned by the caller, who reads it
};

// Parses "permutation", "stride:3", and so on. -EINVAL if there is no such pattern, or if the
// argument after the colon is missing, zero, malformed, too long or not one of this pattern.
int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind);
// Writes the text that drb_traffic_parse() reads back.
void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX]);
// "permutation", "stride:K", and so on, for help texts; NULL beyond the last pattern.
const char *drb_traffic_usage(enum drb_pattern pattern);

// Returns 0, or -ERANGE if K or a label in the file does not fit this number of hosts.
int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts);

struct drb_traffic {
	struct drb_traffic_kind kind;
	uint32_t hosts;      // N
	uint64_t send_below; // a host sends iff 32 random bits are below this: rho 2^32
	// N entries: destinations in this slot, or DRB_NO_LABEL. For jobs: draws as positions
	// within each group.
	uint32_t *map;
	// N hosts. Those whose destinations are drawn in every slot come first, if others keep
	// theirs. For trains in any order, for jobs group by group.
	uint32_t *order;
	uint32_t free; // number of hosts that share the fresh permutation
	// Number of hosts at the end of the order that share another one (oneway).
	uint32_t answering;
	uint32_t *weight; // N shares of the slots, in units of 2^-32; only for patterns with roles
	uint32_t *rate;   // current rate of each pair; only for pattern file
	uint32_t next;    // index of the next change of the file
	uint64_t turn_seed; // seed of the permutations that take turns
};

// 32-bit words of memory that drb_traffic_init() needs: without file and roles, and for any
// pattern.
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
	double rho; // 0..1: probability that a host with a destination sends in a slot
	// drb_traffic_words() words, lent as long as the traffic lasts, like the file of kind.
	uint32_t *memory;
};

// Draws the parts that stay for the whole run. -ERANGE if the kind does not fit the number of
// hosts, -EINVAL if rho is out of range or the file was not read.
int drb_traffic_init(struct drb_traffic *traffic, const struct drb_traffic_setup *setup,
		     struct drb_rng *rng);

// Writes the destination of every host in this slot to dest[0..N-1], DRB_NO_LABEL if a host is
// silent. Call it for slots 0, 1, 2 and so on.
void drb_traffic_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[]);
