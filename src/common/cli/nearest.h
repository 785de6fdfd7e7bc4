// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds the allowed word that a mistyped word resembles most.

#include <stdint.h>

#define DRB_NEAREST_TEXT 96

struct drb_nearest {
	const char *word; // that was typed, set by the owner; may be NULL
	const char *best; // of those tried, if it is alike; NULL if none is
	uint32_t distance;
};

// Letters left out, added, changed or exchanged make a distance; `best` is at most a third of its letters away.
void drb_nearest_try(struct drb_nearest *n, const char *candidate);
// " (is it threshold?)", or "" if no word is alike. Returns text.
const char *drb_nearest_text(const struct drb_nearest *n, char text[DRB_NEAREST_TEXT]);
