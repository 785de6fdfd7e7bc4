// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A switch on which a scheme is tried, in two kinds: as the simulator hosts schemes, and as the forwarding
// loop does. Both pass the same data in their own forms. All input comes from a seed, so two rigs can get the
// same input.

#include "core/fabric/next_hop.h"
#include "core/math/random.h"
#include "core/schemes/schemes.h"

// Octets of state of one switch, at most.
#define DRB_SCHEME_STATE_MAX (64 << 20)

// Octets of what is wrong with a scheme.
#define DRB_TRIAL_WHY 320

#define DRB_RIG_UPLINKS_MAX 64

struct drb_rig_kind {
	uint32_t arity, uplinks, layer; // a switch of F(3,arity) with so many uplinks at layer 1
	bool as_switch;                 // else as the simulator
	uint32_t packet_time;           // 0: it knows no time, and counts packets
	uint32_t choices;
	double threshold;
};

// What it is given for a decision.
struct drb_rig_input {
	struct drb_decision packet;
	uint64_t usable; // uplinks
	bool unloaded;   // all loads are 0
	uint32_t load[DRB_RIG_UPLINKS_MAX];
};

struct drb_rig {
	struct drb_rig_kind kind;
	struct drb_tree tree;
	struct drb_hop hop;
	struct drb_decider s;
	unsigned char *
		memory; // owned: what it keeps, between octets that it must leave alone; NULL: nothing
	unsigned char fill; // of all of it before it begins
	size_t size;        // of what it keeps
	struct drb_rng rng;
	uint32_t now, packets, sent;
	uint32_t by_default[DRB_RIG_UPLINKS_MAX]; // packets that did not ask the scheme
	struct drb_rig_input in;
};

// 0, or a negative errno with what is wrong in why. v: parameters, and T and choices if they are not the kind's.
int drb_rig_begin(struct drb_rig *rig, const struct drb_scheme_variant *v,
		  const struct drb_rig_kind *kind, unsigned char fill, char why[DRB_TRIAL_WHY]);
void drb_rig_end(struct drb_rig *rig);

// Draws what the next decision is given; of that, the packet alone.
void drb_rig_draw(struct drb_rig *rig);
void drb_rig_draw_packet(struct drb_rig *rig);
// Decides on that; d: what becomes of the packet.
uint32_t drb_rig_decide(struct drb_rig *rig, struct drb_decision *d);
// What comes between bursts or slots: marks from above, time.
void drb_rig_pass_time(struct drb_rig *rig);

// False if the scheme wrote beside what it keeps.
bool drb_rig_is_guarded(const struct drb_rig *rig);
// -EINVAL, and in why: what, this value, and the decision that shows it.
int drb_rig_wrong(const struct drb_rig *rig, const char *what, uint32_t value,
		  char why[DRB_TRIAL_WHY]);
