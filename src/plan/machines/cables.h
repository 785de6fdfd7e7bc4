// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cables are links between machines that the file of machines lists one by one. Each end is an
// interface, or a VLAN of one (docs/reference/machines.md).

#include "plan/machines/machines.h"
#include "plan/topo.h"

// Reads the cables of the file that machines_load() read last. machines_split() must have
// succeeded. Returns 0, or -EINVAL after a message that names file, line and key.
int cables_load(const char *path, const struct drb_tree *t, struct machines *m);
// The cable of a link; NULL: the link is not a cable.
const struct cable *cables_find(const struct machines *m, const struct topo_link *link);
