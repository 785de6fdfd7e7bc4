// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Simulates the transfers of a list on the fabric of transfers.h.

#include "sim/flows/list.h"
#include "sim/flows/transfers.h"

struct drb_list_setup {
	struct drb_transfers_setup transfers;
	const struct drb_list *list;
	// Slots after which the run ends in any case; it also ends when nothing arrives any more.
	uint64_t longest;
};

struct drb_list_time {
	uint64_t start;     // slot in which it began; valid if it ended
	uint64_t connected; // slot from which it was allowed to send; valid if it ended
	// Slot in which its last packet arrived; a short computation may end in slot 0.
	uint64_t finish;
	bool ended;
};

struct drb_list_result {
	struct drb_list_time *time; // [transfer], owned by the caller
	uint32_t finished;
	uint64_t packets, dropped, resent, marked;
	uint64_t slots;          // that were simulated
	struct drb_lost lost_to; // packets dropped, by cause
	int error;               // 0, or the error of drb_transfers_step() that ended the run
};

// 0, or the errors of drb_packet_new().
int drb_list_run(const struct drb_list_setup *setup, struct drb_list_result *result);
