// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Patterns in which hosts have roles: some only send, some only receive, some send less, some are
// silent. Private to traffic.c.

#include "core/traffic/traffic.h"

// Draws the parts that stay for the whole run: map, order, free, answering and weight.
void drb_roles_draw(struct drb_traffic *traffic, const struct drb_tree *t, struct drb_rng *rng);
// Draws the destinations of a slot.
void drb_roles_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint32_t dest[]);
