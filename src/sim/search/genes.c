// SPDX-License-Identifier: BSD-3-Clause
#include "sim/search/genes.h"

#include <stdio.h>

const char *const search_gene_name[SEARCH_GENES_COUNT] = {
#define X(name, ...) #name,
	SEARCH_GENES(X)
#undef X
};

static const uint8_t values[SEARCH_GENES_COUNT] = {
#define X(name, count, ...) count,
	SEARCH_GENES(X)
#undef X
};

struct search_case search_case_any(struct drb_rng *rng, uint32_t loads)
{
	struct search_case c = {.load = (uint8_t)drb_rng_below(rng, loads)};

	for (int g = 0; g < SEARCH_GENES_COUNT; g++)
		c.gene[g] = (uint8_t)drb_rng_below(rng, values[g]);
	c.seed = (uint32_t)drb_rng_next(rng);
	return c;
}

struct search_case search_case_like(const struct search_case *c, struct drb_rng *rng,
				    uint32_t loads)
{
	struct search_case like = *c, other = search_case_any(rng, loads);
	uint32_t what = drb_rng_below(rng, SEARCH_GENES_COUNT + 2);

	if (what < SEARCH_GENES_COUNT)
		like.gene[what] = other.gene[what];
	else if (what == SEARCH_GENES_COUNT)
		like.load = other.load;
	else
		like.seed = other.seed;
	return like;
}

void search_case_format(const struct search_case *c, char text[SEARCH_CASE_TEXT])
{
	int n = 0;

	for (int g = 0; g < SEARCH_GENES_COUNT; g++)
		n += snprintf(text + n, SEARCH_CASE_TEXT - (size_t)n, "%u,", c->gene[g]);
	snprintf(text + n, SEARCH_CASE_TEXT - (size_t)n, "%u", c->seed);
}
