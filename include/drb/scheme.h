// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A routing scheme: the rule by which a switch chooses the uplink of a packet that must go up. A scheme is
// one file that ends with its struct drb_scheme_ops. Switch and simulator are its hosts: they pass it loads,
// random bits, time and memory. It does no I/O, allocates nothing and reads no clock.

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
	uint32_t uplinks; // of the switch; a scheme is asked only if there are two or more
	// Uplinks that schemes with a threshold compare, including the default: 2 (the paper's) or more.
	uint32_t choices;
	uint32_t margin; // floor(T) + 1, see drb_margin(); above 0
	uint64_t salt;   // random, of this switch
	// Values of the scheme's parameters, in their order: drb_param(). NULL: their initial values.
	const double *param;
};

// The input of a switch's decisions that stays the same for a while (a burst, a slot).
struct drb_decider {
	struct drb_choice choice;
	void *state;  // of its scheme; NULL: none
	uint8_t mark; // own_mark() of the scheme, 0 if it has none
};

// One decision: properties of the packet (in) and results (out).
struct drb_decision {
	uint32_t dest; // in: its destination host
	uint32_t port; // in, only for drb_decide(): its input port
	uint64_t flow; // in: hash of its flow, for schemes with DRB_READS_FLOW
	uint64_t draw; // in: random bits, see enum drb_draw
	// In: packets or bytes, in the unit of the setup's rate, for schemes with DRB_READS_SIZE.
	uint32_t size;
	// In: the D-mod-k uplink. Out: the scheme's default; if the chosen uplink is another one, the
	// packet was redirected.
	uint32_t def;
	uint8_t mark;   // in: the scheme's mark on arrival; out: on departure
	uint8_t detour; // in and out, only for drb_decide(): the mark of a detour
	bool walks;     // out: the uplink came from a round, not from a comparison
	bool detoured;  // out, only from drb_decide(): the packet is on a detour
};

// How many uplinks' loads a scheme compares. With `choices` above 2, a scheme with TWO compares that many,
// and needs the loads in an array, as a scheme with ALL does.
enum drb_compares { DRB_COMPARES_NONE, DRB_COMPARES_TWO, DRB_COMPARES_ALL };

// What a scheme draws: which of the 64 bits in a decision's draw are random.
enum drb_draw {
	DRB_DRAW_NONE,
	DRB_DRAW_OTHER, // the upper 32: an uplink other than the default; with `choices` above 2 as WORD
	DRB_DRAW_ANY,  // the upper 32: one of all uplinks
	DRB_DRAW_TWO,  // upper and lower 32: two different uplinks, in order
	DRB_DRAW_WORD, // all 64
};

enum drb_scheme_need {
	DRB_READS_FLOW = 1,    // the hash of the packet's flow
	DRB_READS_SIZE = 2,    // the size of packets
	DRB_HAS_THRESHOLD = 4, // redirects from the default only by the threshold T
	DRB_PACKETS_ONLY = 8,  // not for flows and flowlets
	// Takes the default while no uplink has a load and no packet a mark.
	DRB_DEFAULT_UNLOADED = 16,
	// Sends packets of one host by different uplinks even if they come together.
	DRB_TAKES_TURNS = 32,
	// A core, which chooses nothing, has a state, too.
	DRB_AT_CORES = 64,
	// Takes uplinks of equal load equally often: all of them, or with DRB_HAS_THRESHOLD those beside a default
	// whose load is higher by more than T.
	DRB_UNIFORM = 128,
};

// A switch at the start of its state.
struct drb_scheme_setup {
	const struct drb_tree *tree;
	uint32_t layer;
	const struct drb_choice *choice;
	// Time of a packet, in the host's unit of time, which wraps at 2^32; 0: the host has no clock.
	uint32_t packet_time;
	double rate;         // sizes that each uplink sends in a unit of time; 0: unknown
	const double *rates; // rates by uplink where they differ; NULL: they do not
	// Workers that share the packets of the switch, each with a state of its own; 0 or 1: one state sees all.
	uint32_t workers;
};

// A parameter that users may set: --scheme NAME:PARAMETER=VALUE.
struct drb_scheme_param {
	const char *name, *help;
	double least, most, initial;
};

// Most parameters of a scheme.
#define DRB_SCHEME_PARAMS_MAX 8

#define DRB_SCHEME_ABI 2

// Most bits of a mark.
#define DRB_MARK_BITS_MAX 3

// NULL where a scheme has no such function.
struct drb_scheme_ops {
	uint32_t abi;                          // DRB_SCHEME_ABI
	const char *name;                      // for users: lower case letters and digits
	const char *help;                      // which uplink it takes, in a few words
	const char *colour;                    // of its lines in figures, #rrggbb
	const char *symbol;                    // of its points in figures, one of matplotlib's
	uint32_t needs;                        // of enum drb_scheme_need
	const struct drb_scheme_param *params; // the last has no name; NULL: none
	enum drb_compares compares;
	enum drb_draw draw;
	enum drb_draw unloaded; // the same while no uplink has a load
	uint8_t mark_bits;      // bits that it writes into packets for the switches above

	// Bytes of a switch's state. setup, and what it points to, last for the call. init() fills the state in; the
	// state never moves, and its end is not announced.
	size_t (*state_size)(const struct drb_scheme_setup *setup);
	void (*init)(void *state, const struct drb_scheme_setup *setup);

	// The uplink of a packet, while all uplinks are usable.
	uint32_t (*choose)(const struct drb_decider *s, struct drb_loads loads,
			   struct drb_decision *d);
	// The same among the uplinks whose bits are set: some, not all. A scheme without state may leave it NULL:
	// choose() is called as if the other uplinks did not exist, with a random default if the default is one of them.
	uint32_t (*choose_among)(const struct drb_decider *s, uint64_t usable,
				 struct drb_loads loads, struct drb_decision *d);

	// A packet came from above with this mark.
	void (*hear)(void *state, uint8_t mark);
	// Called before the decisions of a burst or slot. now: in the host's unit of time, never decreasing. sent: packets
	// sent up since the last call, as far as the host counts them.
	void (*tick)(void *state, uint32_t now, uint32_t sent);
	// The mark for packets that come without one, until the next hear() or tick(); 0: none.
	uint8_t (*own_mark)(const void *state);
	// The mark of a packet that goes down from above layer 1 and came with this mark. At layer 1: 0, to a host.
	// from_below: the packet came up on its path, not on a detour, and turns down here.
	uint8_t (*mark_down)(void *state, uint8_t mark, bool from_below);
	// With DRB_DEFAULT_UNLOADED: numbers of packets of size 1 that took each uplink by default, without choose().
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

// For programs that link libdrb: a scheme at one switch of a fat-tree.

// The scheme of this name, NULL if there is none.
DRB_API const struct drb_scheme_ops *drb_scheme_find(const char *name);
// The schemes one by one, i from 0; NULL after the last.
DRB_API const struct drb_scheme_ops *drb_scheme_at(uint32_t i);

struct drb_chooser_setup {
	const struct drb_tree *tree; // must outlive the chooser
	uint32_t layer, label;       // of the switch, below the core
	double threshold;            // T, 0 or more, for schemes that have one
	uint32_t choices; // uplinks that these compare, including the default, 2 to 64; 0: 2
	uint64_t seed;    // equal seeds give equal decisions
	// For schemes that compare rates: time of a packet on an uplink, in the caller's unit of time; 0: unknown.
	uint32_t packet_time;
};

struct drb_chooser;

// NULL and errno: EINVAL if the tree has no such switch, the switch no uplinks, or choices or T are out of range;
// ENOMEM.
DRB_API struct drb_chooser *drb_chooser_new(const struct drb_scheme_ops *scheme,
					    const struct drb_chooser_setup *setup);
DRB_API void drb_chooser_free(struct drb_chooser *c);

// The uplink of a packet to d->dest, a host that is not below the switch. load: of each uplink. Fills in d->def and
// d->draw. Schemes that need them read d->flow, d->size (1 if all packets are equal) and d->mark.
DRB_API uint32_t drb_chooser_choose(struct drb_chooser *c, const uint32_t load[],
				    struct drb_decision *d);
// The same among the uplinks whose bits are set in usable, or among all if no bit is set or there
// are more than 64 uplinks.
DRB_API uint32_t drb_chooser_choose_among(struct drb_chooser *c, uint64_t usable,
					  const uint32_t load[], struct drb_decision *d);
// A packet came from above with this mark.
DRB_API void drb_chooser_hear(struct drb_chooser *c, uint8_t mark);
// Passes the time since the start, and the number of packets sent up since the last call. Call it now and then.
DRB_API void drb_chooser_tick(struct drb_chooser *c, uint32_t now, uint32_t sent);
// The mark with which a packet that came with this mark goes down; to a host: 0. from_below: the packet came up
// on its path, not on a detour, and turns down here.
DRB_API uint8_t drb_chooser_mark_down(struct drb_chooser *c, uint8_t mark, bool from_below);

DRB_END
