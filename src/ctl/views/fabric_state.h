// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reports of all running switches of a fabric. They show what each switch knows about its
// ports, in the form that the decision core takes.

#include "core/fabric/tree.h"
#include "core/links/outages.h"
#include "core/routing/detour.h"

#include "ctl/ctl.h"

struct fabric_state {
	const struct ctl *ctl;
	struct drb_tree tree;
	struct drb_switch_all *at; // owned; freed by fabric_state_free()
	size_t count;
};

// Asks every running switch of ctl->fabric. Returns DRB_EXIT_OK, or DRB_EXIT_FAILED with messages
// printed if a switch could not be asked. If no switch answered, tree.layers is 0.
int fabric_state_read(struct fabric_state *s, const struct ctl *ctl);
void fabric_state_free(struct fabric_state *s);

// The report of one switch. NULL: it is not running.
const struct drb_switch_all *fabric_state_of(const struct fabric_state *s, uint32_t layer,
					     uint32_t label);
// The constants of a switch, and the states of its ports, as the decision core takes them.
struct drb_detour_node fabric_state_node(const struct fabric_state *s,
					 const struct drb_switch_all *all);
struct drb_usable_ports fabric_state_usable(const struct fabric_state *s,
					    const struct drb_switch_all *all);
// The outages that each switch of s->at learns from hellos, by index. The caller frees the array.
struct drb_outages *fabric_state_outages(const struct fabric_state *s);
