// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Emphasis on terminals: what is wrong is bold and red.

#include <stdbool.h>
#include <stdio.h>

enum drb_colour { DRB_COLOUR_AUTO, DRB_COLOUR_ALWAYS, DRB_COLOUR_NEVER };

#define DRB_COLOUR_BAD "\033[1;31m"
#define DRB_COLOUR_END "\033[0m"

// Sets when to emphasise; the default is DRB_COLOUR_AUTO: on terminals, unless the environment has
// NO_COLOR (no-color.org) or the terminal is "dumb".
void drb_colour_set(enum drb_colour when);
bool drb_colour_on(FILE *out);
