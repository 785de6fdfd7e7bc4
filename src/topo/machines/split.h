// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which machine has which nodes. A pod is a subtree below the core: what has one digit h_l, with all its
// hosts. Machines get whole pods, and core switches, of both their share, rounded up or down; among all ways
// to round, one with the fewest links between machines.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#include "topo/topo.h"

#include "topo/machines/machines.h"

// Fills in the split. 0; -EDOM if some machine would get neither pod nor core switch, with the one of the
// smallest share in *index; -ENOTSUP for one layer, which is one switch; -ENOMEM.
int machines_split(const struct drb_tree *t, struct machines *m, uint32_t *index);

// The machine of a node; layer 0 is hosts.
uint32_t machines_of(const struct drb_tree *t, const struct machines *m, uint32_t layer,
		     uint32_t label);
// True if the ends of a link are on different machines.
bool machines_crosses(const struct drb_tree *t, const struct machines *m,
		      const struct topo_link *link);
// Links between two machines.
uint64_t machines_links_between(const struct machine *a, const struct machine *b);
uint64_t machines_links_total(const struct machines *m);
