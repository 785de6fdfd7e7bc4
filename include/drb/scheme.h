// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A routing scheme is the rule by which a switch chooses the uplink of a packet that must go up.
// A scheme is one file that ends with its struct drb_scheme_ops. Switch and simulator are its
// hosts: they pass it loads, random bits, time and memory. A scheme does no I/O, allocates nothing
// and reads no clock.

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
	uint32_t uplinks; // number of uplinks; a scheme is called only if there are two or more
	// Number of uplinks that schemes with a threshold compare, including the default: 2 (as in
	// the paper) or more.
	uint32_t choices;
	uint32_t margin; // floor(T) + 1, see drb_margin(); above 0
	uint64_t salt;   // random, drawn once per switch
	// Values of the scheme's parameters, in their order: see drb_param(). NULL: their initial
	// values.
	const double *param;
};

// The input of a switch's decisions that stays the same for a while (a burst, a slot).
struct drb_decider {
	struct drb_choice choice;
	void *state;  // state of the switch's scheme; NULL: it has none
	uint8_t mark; // result of the scheme's own_mark(), 0 if it has no such function
};

// One decision: the properties of a packet (in) and the results (out).
struct drb_decision {
	uint32_t dest; // in: its destination host
	uint32_t port; // in, only for drb_decide(): its input port
	uint64_t flow; // in: hash of its flow, for schemes with DRB_READS_FLOW
	uint64_t draw; // in: random bits, see enum drb_draw
	// In, for schemes with DRB_READS_SIZE: packets or bytes, the same unit as in the setup's
	// rate.
	uint32_t size;
	// In: the D-mod-k uplink. Out: the scheme's default. The packet is redirected if the scheme
	// chooses another uplink.
	uint32_t def;
	uint8_t mark;   // in: the scheme's mark on arrival; out: on departure
	uint8_t detour; // in and out, only for drb_decide(): the detour mark
	bool walks;     // out: a round chose the uplink, not a comparison of loads
	bool detoured;  // out, only from drb_decide(): the packet is on a detour
};

// Number of uplinks whose loads a scheme compares. TWO becomes `choices` uplinks if `choices` is
// above 2; the scheme then needs the loads in an array, as ALL does.
enum drb_compares { DRB_COMPARES_ALL, DRB_COMPARES_TWO, DRB_COMPARES_NONE };

// The random bits that a scheme reads: which of the 64 bits of a decision's draw are random.
enum drb_draw {
	DRB_DRAW_WORD, // all 64
	DRB_DRAW_NONE,
	// The upper 32: an uplink other than the default. Like WORD if `choices` is above 2.
	DRB_DRAW_OTHER,
	DRB_DRAW_ANY, // the upper 32: one of all uplinks
	DRB_DRAW_TWO, // upper and lower 32: two different uplinks, in order
};

enum drb_scheme_need {
	DRB_READS_FLOW = 1,    // the hash of the packet's flow
	DRB_READS_SIZE = 2,    // the size of packets
	DRB_HAS_THRESHOLD = 4, // redirects from the default only by the threshold T
	DRB_PACKETS_ONLY = 8,  // does not support flows and flowlets as units of routing
	// Takes the default while no uplink has a load and no packet carries a mark.
	DRB_DEFAULT_UNLOADED = 16,
	// Sends packets of one host by different uplinks even if they arrive together.
	DRB_TAKES_TURNS = 32,
	// Core switches, which choose no uplink, have a state, too.
	DRB_AT_CORES = 64,
	// Takes uplinks of equal load equally often. With DRB_HAS_THRESHOLD, this holds for the
	// uplinks other than the default, if the load of the default is higher by more than T.
	DRB_UNIFORM = 128,
};

// The arguments of a switch's state_size() and init().
struct drb_scheme_setup {
	const struct drb_tree *tree;
	uint32_t layer;
	const struct drb_choice *choice;
	// Time of a packet on an uplink, in the host's unit of time, which wraps at 2^32. 0: the
	// host has no clock.
	uint32_t packet_time;
	double rate;         // packets or bytes that an uplink sends in a unit of time; 0: unknown
	const double *rates; // rate of each uplink if they differ; NULL: they are equal
	// Number of workers that share the packets of the switch, each with a state of its own. 0
	// or 1: one state sees all packets.
	uint32_t workers;
};

// A parameter that users may set: --scheme NAME:PARAMETER=VALUE.
struct drb_scheme_param {
	const char *name, *help;
	double least, most, initial;
};

// The largest number of parameters of a scheme.
#define DRB_SCHEME_PARAMS_MAX 16

#define DRB_SCHEME_ABI 4

// The largest number of bits of a mark.
#define DRB_MARK_BITS_MAX 3

// Every scheme has the first three members and choose(). Other members may be left out: a function
// that a scheme does not have is NULL.
struct drb_scheme_ops {
	uint32_t abi;                          // DRB_SCHEME_ABI
	const char *name;                      // for users: lower case letters and digits
	const char *help;                      // a few words on which uplink the scheme takes
	const char *colour;                    // colour of its lines in figures, #rrggbb
	const char *symbol;                    // marker of its points in figures, as in matplotlib
	uint32_t needs;                        // bits of enum drb_scheme_need
	const struct drb_scheme_param *params; // the last has no name; NULL: none
	// A scheme that reads less than all is faster if it declares that.
	enum drb_compares compares;
	enum drb_draw draw;
	enum drb_draw unloaded; // replaces draw while no uplink has a load
	uint8_t mark_bits;      // bits that the scheme writes into packets for the switches above

	// state_size() returns the bytes of a switch's state, and init() fills the state in. setup
	// and what it points to are valid only during the call. The host never moves the state, and
	// frees it without notice.
	size_t (*state_size)(const struct drb_scheme_setup *setup);
	void (*init)(void *state, const struct drb_scheme_setup *setup);

	// The uplink of a packet while all uplinks are usable.
	uint32_t (*choose)(const struct drb_decider *s, struct drb_loads loads,
			   struct drb_decision *d);
	// The same if only some uplinks are usable: those whose bits are set, at least one and not
	// all. A scheme without state may leave it NULL. The host then calls choose() as if the
	// other uplinks did not exist, with a random default if the default is not usable.
	uint32_t (*choose_among)(const struct drb_decider *s, uint64_t usable,
				 struct drb_loads loads, struct drb_decision *d);

	// A packet arrived from above with this mark.
	void (*hear)(void *state, uint8_t mark);
	// Called before the decisions of a burst or slot. now: in the host's unit of time, never
	// decreasing. sent: number of packets sent up since the last call, as far as the host
	// counts them. Returns true if look() is due.
	bool (*tick)(void *state, uint32_t now, uint32_t sent);
	// Called above layer 1. waiting: number of packets in each down-port's egress queue.
	void (*look)(void *state, const uint32_t waiting[]);
	// The mark for packets that arrive without one. It holds until the next hear() or tick().
	// 0: none.
	uint8_t (*own_mark)(const void *state);
	// The mark of a packet that goes down and that arrived with this mark. At layer 1 it is 0,
	// because the packet goes to a host. from_below: the packet came up on its path, not on a
	// detour, and turns down here.
	uint8_t (*mark_down)(void *state, uint8_t mark, bool from_below);
	// With DRB_DEFAULT_UNLOADED: number of packets of size 1 that took each uplink by default
	// without a call of choose().
	void (*count)(void *state, const uint32_t packets[]);
};

// The value of the scheme's i-th parameter.
static inline double drb_param(const struct drb_choice *c, uint32_t i)
{
	return c->param ? c->param[i] : c->ops->params[i].initial;
}

// The source of a scheme ends with this: DRB_SCHEME(sprinkle) = {.abi = DRB_SCHEME_ABI, ...};
#define DRB_SCHEME(id) DRB_API const struct drb_scheme_ops drb_loaded_scheme
#define DRB_SCHEME_SYMBOL "drb_loaded_scheme"

// For programs that link libdrb: a chooser is a scheme at one switch of a fat-tree.

// The scheme of this name. NULL if there is none.
DRB_API const struct drb_scheme_ops *drb_scheme_find(const char *name);
// Scheme number i, from 0. NULL after the last one.
DRB_API const struct drb_scheme_ops *drb_scheme_at(uint32_t i);

struct drb_chooser_setup {
	const struct drb_tree *tree; // must outlive the chooser
	uint32_t layer, label;       // the switch, which is below the core
	double threshold;            // T >= 0, for schemes that have a threshold
	uint32_t choices; // uplinks that these compare, including the default: 2 to 64; 0: 2
	uint64_t seed;    // equal seeds give equal decisions
	// For schemes that compare rates: time of a packet on an uplink, in the caller's unit of
	// time. 0: unknown.
	uint32_t packet_time;
};

struct drb_chooser;

// NULL and errno EINVAL if the tree has no such switch, the switch has no uplinks, or choices or T
// are out of range; ENOMEM.
DRB_API struct drb_chooser *drb_chooser_new(const struct drb_scheme_ops *scheme,
					    const struct drb_chooser_setup *setup);
// Frees a chooser, or does nothing with NULL.
DRB_API void drb_chooser_free(struct drb_chooser *c);

// The uplink of a packet to d->dest, a host that is not below the switch. load: the load of each
// uplink. Fills in d->def and d->draw. Schemes that need them read d->flow, d->size (1 if all
// packets are equal) and d->mark.
DRB_API uint32_t drb_chooser_choose(struct drb_chooser *c, const uint32_t load[],
				    struct drb_decision *d);
// The same among the uplinks whose bits are set in usable. Chooses among all uplinks if no bit is
// set or if there are more than 64 uplinks.
DRB_API uint32_t drb_chooser_choose_among(struct drb_chooser *c, uint64_t usable,
					  const uint32_t load[], struct drb_decision *d);
// A packet arrived from above with this mark.
DRB_API void drb_chooser_hear(struct drb_chooser *c, uint8_t mark);
// now: time since the start. sent: number of packets sent up since the last call. Call it now and
// then. Returns true if drb_chooser_look() is due.
DRB_API bool drb_chooser_tick(struct drb_chooser *c, uint32_t now, uint32_t sent);
// waiting: number of packets in each down-port's egress queue.
DRB_API void drb_chooser_look(struct drb_chooser *c, const uint32_t waiting[]);
// The mark with which a packet that arrived with this mark goes down; 0 if it goes to a host.
// from_below: the packet came up on its path, not on a detour, and turns down here.
DRB_API uint8_t drb_chooser_mark_down(struct drb_chooser *c, uint8_t mark, bool from_below);

DRB_END
