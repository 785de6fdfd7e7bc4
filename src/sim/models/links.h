// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers for the links between switches of a fabric, and random draws of such numbers.

#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/math/random.h"

// The number of links between switches.
uint64_t drb_links_between(const struct drb_tree *t);
// The up-port at the lower end of link `number`, which is below drb_links_between().
struct drb_end drb_link_numbered(const struct drb_tree *t, uint64_t number);
// The number of the link at this up-port of a switch.
uint64_t drb_link_number(const struct drb_tree *t, const struct drb_end *low);

// Draws `count` of the numbers below `all`; each set of numbers is equally likely. Calls found()
// for each, in ascending order.
void drb_draw_numbers(struct drb_rng *rng, uint64_t all, uint32_t count,
		      void (*found)(void *context, uint64_t number), void *context);
