// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links between switches of a fabric by number, and draws of some of them.

#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/math/random.h"

// How many there are.
uint64_t drb_links_between(const struct drb_tree *t);
// The up-port at the lower end of link `number`, below drb_links_between().
struct drb_end drb_link_numbered(const struct drb_tree *t, uint64_t number);

// Draws `count` of the numbers below `all`, each set of them as likely, and calls found() for each, in
// ascending order.
void drb_draw_numbers(struct drb_rng *rng, uint64_t all, uint32_t count,
		      void (*found)(void *context, uint64_t number), void *context);
