// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The transfers of a list on the fabric of transfers.h.

#include "sim/flows/list.h"
#include "sim/flows/transfers.h"

struct drb_list_setup {
	struct drb_transfers_setup transfers;
	const struct drb_list *list;
	uint64_t
		longest; // slots, after which the run ends in any case, or once nothing arrives any more
};

struct drb_list_time {
	uint64_t start;     // slot in which it began; 0 and no finish: it never did
	uint64_t connected; // slot from which on it might send, if it is finished
	uint64_t finish;    // slot in which its last packet arrived; 0: it did not
};

struct drb_list_result {
	struct drb_list_time *time; // [transfer], the caller's
	uint32_t finished;
	uint64_t packets, dropped, resent, marked;
	bool failed; // memory ran out
};

// 0, or as drb_packet_new().
int drb_list_run(const struct drb_list_setup *setup, struct drb_list_result *result);
