// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds the allowed word that a mistyped word resembles most.

#include <stdint.h>

#define DRB_NEAREST_TEXT 96

struct drb_nearest {
	const char *word; // the mistyped word, set by the owner; may be NULL
	const char *best; // the most similar candidate; NULL if none is similar
	uint32_t distance;
};

// A letter that is missing, added or changed counts as distance 1, and so do two exchanged letters.
// The distance of `best` is at most a third of its letters.
void drb_nearest_try(struct drb_nearest *n, const char *candidate);
// " (is it threshold?)", or "" if no candidate is similar. Returns text.
const char *drb_nearest_text(const struct drb_nearest *n, char text[DRB_NEAREST_TEXT]);
