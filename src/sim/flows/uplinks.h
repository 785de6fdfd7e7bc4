// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Uplinks of the packets of a transfer, by the unit of decisions.

#include "sim/flows/transfer.h"
#include "sim/models/packet_slot.h"

int drb_uplinks_init(struct drb_transfers *t); // 0 or -ENOMEM
void drb_uplinks_free(struct drb_transfers *t);
// Makes space for this many transfers. 0 or -ENOMEM.
int drb_uplinks_grow(struct drb_transfers *t, uint32_t transfers);

// The uplink of a packet at a switch; d is that of drb_decide_uplink().
uint32_t drb_uplinks_choose(struct drb_transfers *t, const struct active_switch *at,
			    const struct drb_decider *decider, const struct drb_flying *packet,
			    struct drb_decision *d);
// The uplink of a frame that belongs to no transfer in its direction.
uint32_t drb_uplinks_advise(const struct drb_transfers *t, const struct active_switch *at,
			    const struct drb_decider *decider, struct drb_decision *d);
// The transfer is over.
void drb_uplinks_forget(struct drb_transfers *t, uint32_t transfer);
