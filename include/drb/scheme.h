// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A routing scheme: by which rule a switch chooses the uplink of a packet that must go up. A scheme is one file
// that ends with its struct drb_scheme_ops; switch and simulator are its hosts. They hand it loads, random bits, time
// and memory, so it does no I/O, allocates nothing and asks no clock.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drb/api.h"
#include "drb/draw.h"

DRB_BEGIN

struct drb_tree;
struct drb_scheme_ops;

// The parameters of a switch.
struct drb_choice {
	const struct drb_scheme_ops *ops;
	uint32_t uplinks; // of the switch; a scheme is asked only where there are two or more
	uint32_t
		choices; // uplinks looked at in all by schemes with a threshold, 2 or more (2 = the paper's)
	uint32_t margin; // floor(T) + 1, see drb_margin(); above 0
	uint64_t salt;   // random, of this switch
	// Values of the scheme's parameters, in their order: drb_param(). NULL: those that they have at first.
	const double *param;
};

// What one switch decides by for a while (a burst, a slot).
struct drb_decider {
	struct drb_choice choice;
	void *state;  // what its scheme keeps; NULL: nothing
	uint8_t mark; // own_mark() of the scheme, 0 if it has none
};

// One decision: what is known of the packet (in), what becomes of it (out).
struct drb_decision {
	uint32_t dest; // in: the host that it goes to
	uint32_t port; // in, for drb_decide() alone: the port that it came in by
	uint64_t flow; // in: hash of its flow, for schemes with DRB_READS_FLOW
	uint64_t draw; // in: random bits, see enum drb_draw
	uint32_t
		size; // in: packets or octets, as those of the setup's rate, for schemes with DRB_READS_SIZE
	// In: the D-mod-k uplink. Out: the one that the scheme takes by default; if the uplink is
	// another one, the packet was redirected.
	uint32_t def;
	uint8_t mark;   // in: the scheme's mark, as it came; out: as it leaves
	uint8_t detour; // in and out, for drb_decide() alone: the mark of a detour
	bool walks;     // out: its uplink was that of a round, not of a comparison
	bool detoured;  // out, of drb_decide() alone: it goes by the rules of detours
};

// How many uplinks' loads a scheme compares. With `choices` above 2 those of TWO compare as many, and
// want them in an array, as those of ALL do.
enum drb_compares { DRB_COMPARES_NONE, DRB_COMPARES_TWO, DRB_COMPARES_ALL };

// What a scheme draws: which of the 64 bits of a decision's draw are random.
enum drb_draw {
	DRB_DRAW_NONE,
	DRB_DRAW_OTHER, // the upper 32: one of the uplinks but the default; with `choices` above 2 as WORD
	DRB_DRAW_ANY,  // the upper 32: one of all uplinks
	DRB_DRAW_TWO,  // upper and lower 32: two different uplinks, in order
	DRB_DRAW_WORD, // all 64
};

enum drb_scheme_need {
	DRB_READS_FLOW = 1,    // the hash of the packet's flow
	DRB_READS_SIZE = 2,    // the size of packets
	DRB_HAS_THRESHOLD = 4, // redirects from the default by the threshold T and no other rule
	DRB_PACKETS_ONLY = 8,  // not for flows and flowlets
	// Takes the default while no uplink has a load and no packet a mark.
	DRB_DEFAULT_UNLOADED = 16,
	// Sends packets of one host different ways even if they come together.
	DRB_TAKES_TURNS = 32,
	// A core keeps a state, too, for its queues down. It chooses nothing.
	DRB_WATCHES_DOWN = 64,
	// Takes uplinks of equal load equally often: all, or with DRB_HAS_THRESHOLD those beside a default that
	// is longer by more than T.
	DRB_UNIFORM = 128,
};

// Of a switch, when its state begins.
struct drb_scheme_setup {
	const struct drb_tree *tree;
	uint32_t layer;
	const struct drb_choice *choice;
	// In the host's unit of time, which wraps at 2^32; 0: it knows no time.
	uint32_t packet_time;
	double rate;         // of each uplink: sizes that it sends in a unit of time; 0: not known
	const double *rates; // where they differ: of each; NULL: they do not
};

// A parameter that users may set: --scheme NAME:PARAMETER=VALUE.
struct drb_scheme_param {
	const char *name, *help;
	double least, most, initial;
};

// Most parameters of a scheme.
#define DRB_SCHEME_PARAMS_MAX 8

#define DRB_SCHEME_ABI 1

// Most bits of a mark.
#define DRB_MARK_BITS_MAX 3

// NULL where a scheme has no such function.
struct drb_scheme_ops {
	uint32_t abi;                          // DRB_SCHEME_ABI
	const char *name;                      // what users call it: lower case letters and digits
	const char *help;                      // what it does, in a few words
	const char *colour;                    // of its figures, #rrggbb
	const char *symbol;                    // of its points in figures, one of matplotlib's
	uint32_t needs;                        // of enum drb_scheme_need
	const struct drb_scheme_param *params; // the last has no name; NULL: none
	enum drb_compares compares;
	enum drb_draw draw;
	enum drb_draw unloaded; // the same while no uplink has a load
	uint8_t mark_bits;      // that it writes into packets for the switches above

	// What a switch keeps, in octets; setup, and what it points to, last for the call. It begins as init() leaves it, stays at its place, and ends without a word.
	size_t (*state_size)(const struct drb_scheme_setup *setup);
	void (*init)(void *state, const struct drb_scheme_setup *setup);

	// The uplink of a packet, all of which can be used.
	uint32_t (*choose)(const struct drb_decider *s, struct drb_loads loads,
			   struct drb_decision *d);
	// The same among uplinks whose bits are set, some but not all. A scheme without state may leave it NULL: it is
	// asked as if the others were not there, and in place of a default that is not there gets a random one.
	uint32_t (*choose_among)(const struct drb_decider *s, uint64_t usable,
				 struct drb_loads loads, struct drb_decision *d);

	// A packet came from above with this mark.
	void (*hear)(void *state, uint8_t mark);
	// Called after each burst or before each slot. now: in the host's unit of time, never backwards. sent: packets
	// sent up since the last call, as far as the host counts them. True: look() is due.
	bool (*tick)(void *state, uint32_t now, uint32_t sent);
	// Packets in each queue down.
	void (*look)(void *state, const uint32_t waiting[]);
	// The mark of packets that come without one, until the next hear() or tick(); 0: none.
	uint8_t (*own_mark)(const void *state);
	// The mark of a packet that goes down from above layer 1, which came with one. At layer 1: 0, to a host.
	uint8_t (*mark_down)(const void *state, uint8_t mark);
	// With DRB_DEFAULT_UNLOADED: so many packets of size 1 took each uplink by default, without choose().
	void (*count)(void *state, const uint32_t packets[]);
};

// The value of the scheme's i-th parameter.
static inline double drb_param(const struct drb_choice *c, uint32_t i)
{
	return c->param ? c->param[i] : c->ops->params[i].initial;
}

// What the source of a scheme ends with: DRB_SCHEME(sprinkle) = {.abi = DRB_SCHEME_ABI, ...};
#define DRB_SCHEME(id) DRB_API const struct drb_scheme_ops drb_loaded_scheme
#define DRB_SCHEME_SYMBOL "drb_loaded_scheme"

// To choose from outside: a scheme at one switch of a fat-tree.

// The scheme of this name, NULL if there is none.
DRB_API const struct drb_scheme_ops *drb_scheme_find(const char *name);
// The schemes one by one, i from 0; NULL behind the last.
DRB_API const struct drb_scheme_ops *drb_scheme_at(uint32_t i);

struct drb_chooser_setup {
	const struct drb_tree *tree; // lent for as long as the chooser lasts
	uint32_t layer, label;       // of the switch, below the core
	double threshold;            // T, 0 or more, for schemes that have one
	uint32_t choices;            // uplinks that these compare in all, 2 to 64; 0: 2
	uint64_t seed;               // equal seeds make equal decisions
	// For schemes that judge rates: what a packet takes on an uplink, in the caller's unit of time; 0: unknown.
	uint32_t packet_time;
};

struct drb_chooser;

// NULL and errno: EINVAL if the tree has no such switch, or it no uplinks, or choices or T are out of range; ENOMEM.
DRB_API struct drb_chooser *drb_chooser_new(const struct drb_scheme_ops *scheme,
					    const struct drb_chooser_setup *setup);
DRB_API void drb_chooser_free(struct drb_chooser *c);

// The uplink of a packet for d->dest, a host that is not below the switch. load: of each uplink. Fills in d->def and
// d->draw. d->flow, d->size (1, if packets are equal) and d->mark are read by schemes that need them.
DRB_API uint32_t drb_chooser_choose(struct drb_chooser *c, const uint32_t load[],
				    struct drb_decision *d);
// The same among the uplinks whose bits are set in usable, or all if none is, or there are more
// than 64 uplinks.
DRB_API uint32_t drb_chooser_choose_among(struct drb_chooser *c, uint64_t usable,
					  const uint32_t load[], struct drb_decision *d);
// A packet came from above with this mark.
DRB_API void drb_chooser_hear(struct drb_chooser *c, uint8_t mark);
// So much time has passed in all, and so many packets were sent up since the last call. To be called now and then.
// True: drb_chooser_look() is due.
DRB_API bool drb_chooser_tick(struct drb_chooser *c, uint32_t now, uint32_t sent);
// Packets in each queue down.
DRB_API void drb_chooser_look(struct drb_chooser *c, const uint32_t waiting[]);
// The mark with which a packet goes down; to a host: 0.
DRB_API uint8_t drb_chooser_mark_down(const struct drb_chooser *c, uint8_t mark);

DRB_END
