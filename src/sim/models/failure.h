// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Links and switches of a packet simulation that are dead. As after hellos, a switch knows its own
// dead ports, its children that have no other uplink, and the routes around all outages. If a
// fabric is too large for routes (core/routing/routes.h), or a list of outages too long for a
// hello, switches have only detours, as real switches do.

#include <stdbool.h>
#include <stdint.h>

#include "core/routing/detour.h"
#include "core/routing/routes.h"
#include "core/fabric/tree.h"

// A link between switches, identified by the port at its lower end; or a switch with all its links.
struct drb_dead {
	struct drb_end end;
	bool is_switch; // true: the port has no meaning
};

// The failures of a simulation: how many links between switches, and how many switches above layer
// 1, are drawn at random; and an array of given failures. The caller owns the array. A dead switch
// has no usable link.
struct drb_fail {
	uint32_t links, switches;
	const struct drb_dead *known;
	uint32_t count; // entries of `known`
};

// True if nothing fails.
static inline bool drb_fail_nothing(const struct drb_fail *fail)
{
	return fail->links == 0 && fail->switches == 0 && fail->count == 0;
}

struct drb_failures {
	struct drb_usable_ports
		*at; // [layer - 1][switch]; every layer has as many entries as layer 1; owned
	uint32_t stride;
	struct drb_routes finder; // of the routes of any switch
	uint64_t *routes;         // [switch, layer 1 first][rack]: ports (bits); owned. NULL: none
};

// The number of switches that may be drawn to fail. For links, see drb_links_between().
uint64_t drb_fail_switches(const struct drb_tree *t);
// Draws the failures. 0, -ERANGE (more failures than links or switches, or switches with more than
// 64 ports) or -ENOMEM.
int drb_failures_make(struct drb_failures *f, const struct drb_tree *t, struct drb_fail fail,
		      uint64_t seed);
void drb_failures_free(struct drb_failures *f);
// Makes a link between switches, given by its lower end, dead or usable from now on. Routes are
// found when drb_failures_route() is called.
void drb_failures_set(struct drb_failures *f, const struct drb_tree *t, const struct drb_end *low,
		      bool dead);
// All switches learn the routes around what is dead now.
void drb_failures_route(struct drb_failures *f, const struct drb_tree *t);
// Finds a link between switches by either end ("s2-10.u1"), or a switch ("s3-4"). False: the fabric
// has none with this name.
bool drb_dead_named(const struct drb_tree *t, const char *name, struct drb_dead *dead);
// Lists the links and switches that drb_failures_make() makes dead, the given ones first. 0 and an
// array that the caller frees, or -ENOMEM.
int drb_failures_list(const struct drb_tree *t, struct drb_fail fail, uint64_t seed,
		      struct drb_dead **dead, uint32_t *count);

static inline struct drb_usable_ports drb_failures_at(const struct drb_failures *f, uint32_t layer,
						      uint32_t label)
{
	return f->at[(uint64_t)(layer - 1) * f->stride + label];
}
