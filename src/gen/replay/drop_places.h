// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// At which ports of a fabric packets were dropped while something was replayed, by the counters of its
// switches. They count by port, not by flow: of a flow it is known which of these ports it can have met.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/replay/link_watch.h"

#define DROP_PLACES_TEXT 160

struct drop_places {
	struct drop_place *at; // those with most drops first; owned
	size_t count;
	struct drb_tree tree;
};

// From first to last look, at switches that answered.
struct drop_places drop_places_of(const struct link_watch *w);
void drop_places_free(struct drop_places *d);

// Why a switch dropped packets on entry (in) or before they left: the only reason of these that grew, "" if several
// did, NULL if none did.
const char *drop_places_reason(const struct drb_switch_drops *before,
			       const struct drb_switch_drops *after, bool in);

// Where packets between two hosts may have been dropped: "s1-0.u1 queue_full", several with a semicolon
// between them; "" where no switch on their ways says so.
void drop_places_text(const struct drop_places *d, uint32_t from, uint32_t to,
		      char text[DROP_PLACES_TEXT]);
