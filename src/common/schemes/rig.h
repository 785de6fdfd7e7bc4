// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A switch on which a scheme is tried. It calls the scheme like the simulator or like the
// forwarding loop. Both pass the same data in their own forms. All input comes from a seed, so two
// rigs can get the same input.

#include "core/fabric/next_hop.h"
#include "core/math/random.h"
#include "core/schemes/schemes.h"

// The most bytes of state of one switch.
#define DRB_SCHEME_STATE_MAX (16 << 20)

// Bytes of the text that describes an error of a scheme.
#define DRB_TRIAL_WHY 400

#define DRB_RIG_UPLINKS_MAX 64

struct drb_rig_kind {
	// A switch of F(3,arity) with this number of uplinks at layer 1.
	uint32_t arity, uplinks, layer;
	bool as_switch;       // hosts the scheme like the switch, otherwise like the simulator
	uint32_t packet_time; // 0: it has no clock, and counts packets
	uint32_t choices;
	double threshold;
};

// The input of a decision.
struct drb_rig_input {
	struct drb_decision packet;
	uint64_t usable; // usable uplinks, as bits
	bool unloaded;   // all loads are 0
	uint32_t load[DRB_RIG_UPLINKS_MAX];
};

struct drb_rig {
	struct drb_rig_kind kind;
	struct drb_tree tree;
	struct drb_hop hop;
	struct drb_decider s;
	// The scheme's state between guard bytes that it must not change. Owned; NULL: no state.
	unsigned char *memory;
	unsigned char fill; // content of all memory before init()
	size_t size;        // size of the state in bytes
	struct drb_rng rng;
	uint32_t now, packets, sent;
	uint32_t by_default[DRB_RIG_UPLINKS_MAX]; // packets for which the scheme was not called
	struct drb_rig_input in;
};

// Returns 0, or a negative errno with the error in `why`. v gives the parameters, and T and
// choices, which override those of the kind.
int drb_rig_begin(struct drb_rig *rig, const struct drb_scheme_variant *v,
		  const struct drb_rig_kind *kind, unsigned char fill, char why[DRB_TRIAL_WHY]);
void drb_rig_end(struct drb_rig *rig);

// These draw the input of the next decision: all of it, or the packet alone.
void drb_rig_draw(struct drb_rig *rig);
void drb_rig_draw_packet(struct drb_rig *rig);
// Decides on this input; d: the decision and its results.
uint32_t drb_rig_decide(struct drb_rig *rig, struct drb_decision *d);
// Draws the events between bursts or slots: marks from above, time, queues down.
void drb_rig_pass_time(struct drb_rig *rig);

// The mark of a packet that goes down and came with this mark.
uint8_t drb_rig_mark_down(struct drb_rig *rig, uint8_t mark, bool from_below);

// The member of the scheme that a rig called last, such as "choose()"; NULL: none yet. Points into
// memory that a child shares with its parent (child.h).
extern const char *volatile *drb_rig_called;

// False if the scheme wrote outside of its state.
bool drb_rig_is_guarded(const struct drb_rig *rig);
// Writes to `why` the text `what`, this value, and the decision that shows it. Returns -EINVAL.
int drb_rig_wrong(const struct drb_rig *rig, const char *what, uint32_t value,
		  char why[DRB_TRIAL_WHY]);
