// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What all running switches of a fabric report, and from it what each knows of its ports, in the form of the
// decision core.

#include "core/fabric/tree.h"
#include "core/links/outages.h"
#include "core/routing/detour.h"

#include "ctl/ctl.h"

struct fabric_state {
	const struct ctl *ctl;
	struct drb_tree tree;
	struct drb_switch_all *at; // owned: fabric_state_free()
	size_t count;
};

// Asks every running switch of ctl->fabric. DRB_EXIT_OK, or DRB_EXIT_FAILED after messages: some or all
// could not be asked. With no switch at all tree.layers is 0.
int fabric_state_read(struct fabric_state *s, const struct ctl *ctl);
void fabric_state_free(struct fabric_state *s);

// NULL: it is not running.
const struct drb_switch_all *fabric_state_of(const struct fabric_state *s, uint32_t layer,
					     uint32_t label);
// Its constants, and its ports that take traffic.
struct drb_detour_node fabric_state_node(const struct fabric_state *s,
					 const struct drb_switch_all *all);
struct drb_usable_ports fabric_state_usable(const struct fabric_state *s,
					    const struct drb_switch_all *all);
// The outages that each switch of s->at comes to know by hellos. The caller frees them.
struct drb_outages *fabric_state_outages(const struct fabric_state *s);
