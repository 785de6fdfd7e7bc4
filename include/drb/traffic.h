// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Who sends to whom, slot by slot: the patterns of the packet experiments. Equal seeds give equal traffic.

#include <stdint.h>

#include "drb/api.h"
#include "drb/tree.h"

DRB_BEGIN

// Instead of a destination: the host is silent.
#define DRB_SILENT UINT32_MAX

struct drb_sender;

// Every host that has a destination sends to it with probability rho in each slot. pattern: "permutation" (a fresh
// one every slot), "fixed" (one for all), "random", "mixed", "stride:K", "tornado", "all-to-all", "transpose",
// "reversal", "hotspot:K", "incast:K", "racks:F", "turns:C", "epoch:S", "jobs:K". NULL and errno: EINVAL for an
// unknown pattern, or rho outside 0 to 1; ERANGE for a pattern that does not fit the tree; ENOMEM.
DRB_API struct drb_sender *drb_sender_new(const struct drb_tree *tree, const char *pattern,
					  double rho, uint64_t seed);
DRB_API void drb_sender_free(struct drb_sender *s);
// The next slot: writes the destination of each host, or DRB_SILENT, into dest[0..N-1].
DRB_API void drb_sender_slot(struct drb_sender *s, uint32_t dest[]);

DRB_END
