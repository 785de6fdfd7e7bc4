// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The traffic of a case, as a file of it says (common/traffic/traffic_file.h). No host sends more than
// one packet a slot, nor is sent more than one on average.

#include <stdio.h>

#include "core/fabric/tree.h"

#include "sim/search/genes.h"

// Writes the text for a run of so many slots. 0, -ENOMEM, or -ENODATA where no host has one to send to.
int search_write_matrix(FILE *out, const struct drb_tree *t, const struct search_case *c,
			uint32_t slots);
