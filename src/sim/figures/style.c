// SPDX-License-Identifier: BSD-3-Clause
#include "sim/figures/style.h"

#include <stdlib.h>
#include <string.h>

#include "core/routing/schemes.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// Colour and point type of each scheme: LOOK_<id>, or this does not compile. No two are alike.
#define LOOK_DRB "#0072b2", 7
#define LOOK_DMODK "#808080", 5
#define LOOK_VLB "#cc79a7", 13
#define LOOK_MICRO "#d55e00", 9
#define LOOK_ECMP "#a6761d", 11
#define LOOK_LEAST "#e69f00", 15
#define LOOK_DRILL "#e0457b", 7
#define LOOK_BOUNCING "#5b9e1f", 5
#define LOOK_WALK "#8f4fd8", 6
static const struct sim_look schemes[] = {
#define X(id, ...) {LOOK_##id},
	DRB_SCHEMES(X)
#undef X
};

static const struct sim_look without_threshold = {"#56b4e9", 8}, ink = {SIM_INK, 2};
// From the first to the last of an order.
static const struct sim_look order[] = {{"#1f4e9c", 7}, {"#2a8fbd", 5},  {"#1fa187", 13},
					{"#7cb518", 9}, {"#f2a900", 11}, {"#e4572e", 15},
					{"#c2185b", 4}, {"#8e24aa", 6}};

struct sim_look sim_look_of(const char *name, int *known)
{
	int number = atoi(name);

	*known = 1;
	for (int s = 0; s < DRB_SCHEME_COUNT; s++) {
		if (strcmp(name, drb_scheme_name((enum drb_scheme)s)) == 0)
			return schemes[s];
	}
	if (strcmp(name, "drb T=0") == 0)
		return without_threshold;
	if (number >= 1 && number <= (int)COUNT(order))
		return order[number - 1];
	*known = strcmp(name, "ink") == 0;
	return ink;
}

const char sim_dark_style[] =
	"<style>@media (prefers-color-scheme:dark){rect[fill=\"#ffffff\"]{fill:#15181c}"
	"[color=\"black\"]{color:#dfe3e8}[stroke=\"black\"]{stroke:#dfe3e8}"
	"[fill=\"black\"]{fill:#dfe3e8}"
	"[stroke=\"rgb(204, 204, 204)\"]{stroke:#3b414a}}</style>\n";
