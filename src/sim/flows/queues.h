// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues accept, mark, trim or drop packets of transfers.

#include "sim/flows/transfer.h"

// The drb_packet_source.join() of transfers: a packet joins a queue.
int drb_queues_join(struct drb_packet_sim *sim, const struct active_switch *at, uint32_t port,
		    uint64_t word, uint32_t *max);
// Marks packets that leave a switch in this slot, by the queues behind them (uec).
void drb_queues_mark(const struct drb_packet_sim *sim, const struct active_switch *at);
