// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pieces of the report's page.

#include <stdbool.h>
#include <stdio.h>

#include "sim/paper/paper.h"

// Puts DIR/name.svg and its caption into a page, if there is one.
void html_image(const struct paper *p, FILE *out, const char *name);
// The same for DIR/prefix-F<l>-<d>.svg of each of the paper's trees.
void html_tree_images(const struct paper *p, FILE *out, const char *prefix);
