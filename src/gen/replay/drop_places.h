// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The ports of a fabric that dropped packets during a replay, by the counters of its switches.
// Switches count drops by port, not by flow. It is therefore only known at which of these ports a
// flow may have lost packets.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/replay/link_watch.h"

#define DROP_PLACES_TEXT 160

struct drop_places {
	struct drop_place *at; // ports with most drops first; owned
	size_t count;
	struct drb_tree tree;
};

// The drops from first to last reading of the counters, of switches that answered.
struct drop_places drop_places_of(const struct link_watch *w);
void drop_places_free(struct drop_places *d);

// Returns the reason for which a switch dropped packets on entry (in) or before they left. It is
// the only reason whose counter grew. "": several grew; NULL: none did.
const char *drop_places_reason(const struct drb_switch_drops *before,
			       const struct drb_switch_drops *after, bool in);

// The ports where packets between two hosts may have been dropped, such as "s1-0.u1 queue_full",
// separated by semicolons. "": no switch on their paths reports drops.
void drop_places_text(const struct drop_places *d, uint32_t from, uint32_t to,
		      char text[DROP_PLACES_TEXT]);
