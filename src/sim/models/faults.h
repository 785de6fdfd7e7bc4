// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Faults of a packet simulation that begin and end in given slots.
//   cut   The link loses each packet that is sent over it. Packets already on the link arrive. A
//         switch that is cut (killed) loses the packets in its queues and each packet that reaches
//         it.
//   gray  The same, but no switch ever knows, and the queues of a gray switch go on sending.
//   slow  A packet takes `pace` slots to cross the link. Schemes do not know.
//   mend  The link or switch is neither cut nor gray any more. Slow links stay slow.
// `detect` slots after a link was cut or its other end was killed, the switches at its ends know
// it. They learn equally late that it works again. Links of hosts have no faults of their own.

#include <stdio.h>

#include "sim/models/failure.h"

enum drb_fault_kind { DRB_FAULT_MEND, DRB_FAULT_CUT, DRB_FAULT_GRAY, DRB_FAULT_SLOW };

struct drb_fault {
	uint32_t slot; // the first slot of the fault
	enum drb_fault_kind kind;
	struct drb_dead what;
	uint32_t pace;  // slots
	uint32_t place; // number in the file: faults of one slot happen in this order
};

// The number of random links between switches that become gray, and the slot in which this happens.
struct drb_gray {
	uint32_t links, slot;
};

struct drb_fault_list {
	const struct drb_fault *fault; // sorted by slot; owned by the caller
	uint32_t count;
	uint32_t detect; // slots
	struct drb_gray gray;
};

// Packets that faults took: at switches without a usable port, on links, at or in switches.
struct drb_lost {
	uint64_t no_way, on_links, in_switches;
};

// True if a fault may make switches detour.
static inline bool drb_faults_cut(const struct drb_fault_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->fault[i].kind == DRB_FAULT_CUT)
			return true;
	}
	return false;
}

// The most slots that a packet takes on a slow link; 0: no link becomes slow.
static inline uint32_t drb_faults_pace(const struct drb_fault_list *list)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct drb_fault *f = &list->fault[i];
		most = f->kind == DRB_FAULT_SLOW && f->pace > most ? f->pace : most;
	}
	return most;
}

// The slot from which all faults have happened and are known.
static inline uint64_t drb_faults_settle(const struct drb_fault_list *list)
{
	return list->count ? (uint64_t)list->fault[list->count - 1].slot + list->detect : 0;
}

struct drb_packet_sim;
struct drb_faults; // owned and changed by the simulation alone

uint64_t drb_faults_bytes(const struct drb_tree *t, const struct drb_fault_list *list);
// Sets sim->faults by sim->setup; NULL if there are no faults. 0, -ERANGE (more gray links than
// links) or -ENOMEM.
int drb_faults_new(struct drb_packet_sim *sim);
void drb_faults_free(struct drb_faults *faults);

// Called before the switches' work of a slot. Faults begin and end, and switches learn of them.
// Packets that reach a cut or gray switch are lost.
void drb_faults_begin_slot(struct drb_packet_sim *sim);
// Called after all switches have sent: cut and gray links lose their packets.
void drb_faults_cross(struct drb_packet_sim *sim);

#define DRB_FAULTS_MAX 1000000 // most faults in a file
#define DRB_FAULTS_WHY_MAX 320

// The fabric and the slot that names and times of a file refer to.
struct drb_faults_scale {
	const struct drb_tree *tree;
	double slot_ns; // 0: times must be in slots
};

// Reads lines `TIME VERB NAME...` in the words of `drbfabric scenario`: cut and mend links, kill
// and start switches, gray links or switches, slow LINK SLOTS. TIME is in slots, or has a unit.
// `name` is for errors. Returns 0, or -EINVAL with file, line and cause in `why`. The array is
// sorted by slot; the caller frees it.
int drb_faults_read(const char *name, FILE *in, const struct drb_faults_scale *scale,
		    struct drb_fault_list *list, char why[DRB_FAULTS_WHY_MAX]);
