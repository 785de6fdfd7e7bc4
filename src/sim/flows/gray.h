// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gray links between switches: from some slot on they lose all that they carry, both ways, and no switch knows.

#include "sim/models/packet_sim.h"

// How many, at random, and from which slot on.
struct drb_gray {
	uint32_t links, slot;
};

struct drb_gray_links {
	uint32_t slot, count; // count: of ends
	struct drb_gray_end {
		struct drb_line *line;
		uint64_t link;
	} * end; // owned
};

// 0, -ERANGE (more than there are), -ENOMEM.
int drb_gray_make(struct drb_gray_links *links, struct drb_fabric *f, struct drb_gray gray,
		  uint64_t seed);
void drb_gray_free(struct drb_gray_links *links);
// What was sent on end i in this slot, which it loses; DRB_NO_PACKET if it loses nothing.
uint64_t drb_gray_take(const struct drb_gray_links *links, uint32_t i, uint32_t slot);
