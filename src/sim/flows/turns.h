// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The transfers of each host that have packets left, in a ring: they send in turn.

#include "sim/flows/transfer.h"

int drb_turns_init(struct drb_transfers *t); // 0 or -ENOMEM
// Adds a new transfer, whose turn comes last.
void drb_turns_add(struct drb_transfers *t, uint32_t transfer);
void drb_turns_leave(struct drb_transfers *t, uint32_t transfer);
// The next transfer of a host that may send, or DRB_NO_TRANSFER.
uint32_t drb_turns_next(struct drb_transfers *t, uint32_t host);
// The number of a host's transfers with a packet that may be sent now. A small frame waits for one
// packet of each.
uint32_t drb_turns_ready(const struct drb_transfers *t, uint32_t host);
