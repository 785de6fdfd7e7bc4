// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traffic patterns of the packet experiments: the destination of each host in each slot. Equal
// seeds give equal traffic.

#include <stdint.h>

#include "drb/api.h"
#include "drb/tree.h"

DRB_BEGIN

// Written instead of a destination for a host that sends nothing in this slot.
#define DRB_SILENT UINT32_MAX

struct drb_sender;

// In each slot, every host that has a destination sends a packet to it with probability rho.
// Patterns: "permutation" (a fresh one every slot), "fixed" (one permutation for all slots),
// "random", "mixed", "stride:K", "tornado", "all-to-all", "transpose", "reversal", "hotspot:K",
// "incast:K", "racks:F", "turns:C", "epoch:S", "trains:S", "jobs:K".
// NULL and errno: EINVAL for an unknown pattern or a rho outside [0, 1]; ERANGE for a pattern that
// does not fit the tree; ENOMEM.
DRB_API struct drb_sender *drb_sender_new(const struct drb_tree *tree, const char *pattern,
					  double rho, uint64_t seed);
// Frees a sender, or does nothing with NULL.
DRB_API void drb_sender_free(struct drb_sender *s);
// Moves to the next slot: writes the destination of each host, or DRB_SILENT, into dest[0..N-1].
DRB_API void drb_sender_slot(struct drb_sender *s, uint32_t dest[]);

DRB_END
