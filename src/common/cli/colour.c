// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum drb_colour colour;

void drb_colour_set(enum drb_colour when)
{
	colour = when;
}

bool drb_colour_on(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (colour != DRB_COLOUR_AUTO)
		return colour == DRB_COLOUR_ALWAYS;
	return isatty(fileno(out)) && !(none && *none) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}
