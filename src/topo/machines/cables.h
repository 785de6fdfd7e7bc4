// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Links between machines that the file of machines names one by one: an interface at each end, or a VLAN of one
// (docs/reference/machines.md).

#include "topo/machines/machines.h"
#include "topo/topo.h"

// Reads the cables of the file that machines_load() has read last, of machines that are split. -EINVAL with a
// message printed that names file, line and key.
int cables_load(const char *path, const struct drb_tree *t, struct machines *m);
// The cable that a link is, NULL if it is none.
const struct cable *cables_find(const struct machines *m, const struct topo_link *link);
