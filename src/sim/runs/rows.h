// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cells that tables about fabrics share.

#include "common/cli/table.h"
#include "core/fabric/tree.h"
#include "core/schemes/schemes.h"

// The last cells of a row: settings stand behind results, which a narrow terminal is to show. The uplinks of layer 1
// are left out where they are d.
void sim_put_tree(struct drb_table *table, const struct drb_tree *t);
// Nothing of a scheme without one.
void sim_put_threshold(struct drb_table *table, enum drb_scheme scheme, double threshold);
