// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The table of schemes: by which rule a switch chooses the uplink of a packet that must go up.
// Names, help texts, the loops of the switch and of the simulator and the checks of the
// configuration derive from it. How to add one: README.md.

#include <stdbool.h>
#include <stdint.h>

// A row says, in this order:
//   id, name   DRB_SCHEME_id; what users call it
//   rule       drb_rule_<rule>() picks the uplink: threshold_two_choice.h or simple_rules.h
//   decide     drb_decide_<decide>() calls the rule, with what the scheme keeps: decide.h
//   compares   the loads of no, two or all uplinks; see enum drb_compares
//   draw       how it draws at random: draw.h
//   unloaded   the scheme that decides likewise, only faster, while no uplink has a load
//   remembers  how many uplinks a switch remembers for it: remember.h
//   mark       bits that it writes into packets for the switches above
//   flags      of DRB_READS_FLOW (the hash of the packet's flow), DRB_HAS_THRESHOLD (redirects by the
//              threshold T), DRB_PACKETS_ONLY (not for flows and flowlets), or 0
//   help       what it does, in a few words
// clang-format off
#define DRB_SCHEMES(X)                                                                             \
	X(DRB,      drb,      two_choice, by_rule,  TWO,  OTHER, DMODK,    0, 0,                   \
	  DRB_HAS_THRESHOLD,                                                                       \
	  "threshold-based two-choice against the D-mod-k default (the paper's)")                  \
	X(DMODK,    dmodk,    fixed,      by_rule,  NONE, NONE,  DMODK,    0, 0, 0,                \
	  "always the D-mod-k default")                                                            \
	X(VLB,      vlb,      random,     by_rule,  NONE, ANY,   VLB,      0, 0, 0,                \
	  "a uniformly random uplink")                                                             \
	X(MICRO,    micro,    two_random, by_rule,  TWO,  TWO,   VLB,      0, 0, 0,                \
	  "the less loaded of two distinct random uplinks")                                        \
	X(ECMP,     ecmp,     hash,       by_rule,  NONE, NONE,  ECMP,     0, 0, DRB_READS_FLOW,   \
	  "a hash of the flow, salted per switch")                                                 \
	X(LEAST,    least,    least,      by_rule,  ALL,  WORD,  VLB,      0, 0, 0,                \
	  "the least loaded of all, random among ties")                                            \
	X(DRILL,    drill,    two_random, drill,    TWO,  TWO,   DRILL,    1, 0, DRB_PACKETS_ONLY, \
	  "as micro, or the uplink taken last if that is less loaded: DRILL(2,1)")                 \
	X(BOUNCING, bouncing, hash,       bouncing, NONE, NONE,  BOUNCING, DRB_TURNS, 0,           \
	  DRB_READS_FLOW | DRB_PACKETS_ONLY,                                                       \
	  "the uplinks in turn for each flow: Digit-Reversal Bouncing")                            \
	X(WALK,     walk,     two_choice, walk,     TWO,  OTHER, WALK,     0, 3,                   \
	  DRB_HAS_THRESHOLD | DRB_PACKETS_ONLY,                                                    \
	  "as drb, in rounds over all uplinks while defaults are uneven")
// clang-format on

// clang-format off
enum drb_scheme {
#define X(id, ...) DRB_SCHEME_##id,
	DRB_SCHEMES(X)
#undef X
	DRB_SCHEME_COUNT
};
// clang-format on

// Of how many flows bouncing tells the turns apart.
#define DRB_TURNS 4096

// How many uplinks' loads a rule compares. With `choices` above 2 those of TWO compare as many, and
// want them in an array, as those of ALL do (choice.h).
enum drb_compares { DRB_COMPARES_NONE, DRB_COMPARES_TWO, DRB_COMPARES_ALL };

// What a rule draws.
enum drb_draw {
	DRB_DRAW_NONE,
	DRB_DRAW_OTHER, // one of the uplinks but the default; with `choices` above 2 as WORD
	DRB_DRAW_ANY,   // one of all uplinks
	DRB_DRAW_TWO,   // two different ones, in order
	DRB_DRAW_WORD,  // 64 bits
};

enum drb_scheme_flag {
	DRB_READS_FLOW = 1,
	DRB_HAS_THRESHOLD = 2,
	DRB_PACKETS_ONLY = 4,
};

struct drb_scheme_row {
	const char *name, *help;
	enum drb_compares compares;
	enum drb_draw draw;
	enum drb_scheme unloaded;
	uint16_t remembers;
	uint8_t mark_bits;
	uint8_t flags; // enum drb_scheme_flag
};

// In the header, so that what follows from a scheme known to the compiler is known to it, too.
// clang-format off
static const struct drb_scheme_row drb_scheme_table[DRB_SCHEME_COUNT] = {
#define X(id, name, rule, decide, compares, draw, unloaded, remembers, mark, flags, help)          \
	[DRB_SCHEME_##id] = {#name, help, DRB_COMPARES_##compares, DRB_DRAW_##draw,                \
			     DRB_SCHEME_##unloaded, remembers, mark, flags},
	DRB_SCHEMES(X)
#undef X
};
// clang-format on

// "drb", "dmodk", ... ; NULL beyond the last.
const char *drb_scheme_name(enum drb_scheme scheme);
// 0 and *scheme, or -EINVAL.
int drb_scheme_parse(const char *name, enum drb_scheme *scheme);

// A line for each: its name and what it does. For help texts.
#define DRB_SCHEMES_HELP DRB_SCHEMES(DRB_SCHEME_HELP_LINE)
#define DRB_SCHEME_HELP_LINE(id, name, rule, decide, compares, draw, unloaded, remembers, mark,    \
			     flags, help)                                                          \
	"  " #name ": " help "\n"

static inline bool drb_scheme_has(enum drb_scheme scheme, unsigned flags)
{
	return drb_scheme_table[scheme].flags & flags;
}

// True if the scheme redirects by the threshold T.
static inline bool drb_scheme_has_threshold(enum drb_scheme scheme)
{
	return drb_scheme_has(scheme, DRB_HAS_THRESHOLD);
}

// True if the scheme decides on packets, not on flows.
static inline bool drb_scheme_packets_only(enum drb_scheme scheme)
{
	return drb_scheme_has(scheme, DRB_PACKETS_ONLY);
}
