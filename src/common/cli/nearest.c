// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/nearest.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX 32 // letters; a longer word resembles no other

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

// Computes the edit distance by a table: row i, column j is the distance of the first i and j
// letters.
static uint32_t distance(const char *a, const char *b)
{
	uint32_t d[WORD_MAX + 1][WORD_MAX + 1];
	const size_t m = strlen(a), n = strlen(b);

	for (uint32_t i = 0; i <= m; i++) {
		for (uint32_t j = 0; j <= n; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					1 + least(d[i - 1][j], d[i][j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], 1 + d[i - 2][j - 2]);
		}
	}
	return d[m][n];
}

void drb_nearest_try(struct drb_nearest *n, const char *candidate)
{
	if (!n->word || strlen(n->word) > WORD_MAX || strlen(candidate) > WORD_MAX)
		return;
	const uint32_t away = distance(n->word, candidate);
	if (away > strlen(candidate) / 3 || (n->best && away >= n->distance))
		return;
	n->best = candidate;
	n->distance = away;
}

const char *drb_nearest_text(const struct drb_nearest *n, char text[DRB_NEAREST_TEXT])
{
	text[0] = '\0';
	if (n->best)
		snprintf(text, DRB_NEAREST_TEXT, " (is it %s?)", n->best);
	return text;
}
