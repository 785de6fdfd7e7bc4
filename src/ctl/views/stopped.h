// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Switches that topo/fabric stopped on purpose: they have no socket, but the records of their fabric name
// them.

#include <stddef.h>
#include <stdint.h>

#include "core/fabric/names.h"
#include "core/fabric/tree.h"

struct stopped_switch {
	char fabric[DRB_FABRIC_MAX + 1];
	struct drb_tree tree;
	uint32_t layer, label;
};

struct stopped_list {
	struct stopped_switch *at; // owned: the caller frees it
	size_t count;
};

// Those of this fabric, of any with NULL, that no process runs as: somebody may have started one by hand.
// What cannot be read counts as not there.
struct stopped_list stopped_find(const char *fabric);
