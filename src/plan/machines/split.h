// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Splits a fabric over machines. A pod is a subtree below the core with its hosts: all nodes with
// one digit h_l. Machines get whole pods and core switches. Each gets its share of both, rounded up
// or down, such that the number of links between machines is smallest.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#include "plan/topo.h"

#include "plan/machines/machines.h"

// Sets the pods and core switches of all machines. Returns 0 or
//   -EDOM     a machine would get nothing; *index is the machine with the smallest share
//   -ENOTSUP  the fabric has one layer, which is one switch
//   -ENOMEM
int machines_split(const struct drb_tree *t, struct machines *m, uint32_t *index);

// The index of the machine that has a node; layer 0: hosts.
uint32_t machines_of(const struct drb_tree *t, const struct machines *m, uint32_t layer,
		     uint32_t label);
// True if the ends of a link are on different machines.
bool machines_crosses(const struct drb_tree *t, const struct machines *m,
		      const struct topo_link *link);
// The number of links between two machines, and between all.
uint64_t machines_links_between(const struct machine *a, const struct machine *b);
uint64_t machines_links_total(const struct machines *m);
