// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Switches that topo/fabric stopped on purpose. They have no socket, but the records of their
// fabric name them.

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

// Finds the stopped switches of this fabric, or of all fabrics with NULL. Switches that run again,
// for example because a user started them by hand, are left out. Records that
// cannot be read are ignored.
struct stopped_list stopped_find(const char *fabric);
