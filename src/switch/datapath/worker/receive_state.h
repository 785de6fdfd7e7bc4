// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory of one worker about received bursts. receive.c and exceptions.c write it.

#include <stdint.h>

#include "core/counters.h"

#include "common/config/config.h"
#include "switch/datapath/worker/receive_share.h"

struct drb_receive_state {
	uint32_t burst;     // most packets received in one call; constant until a reload
	uint32_t unsampled; // bursts until queue lengths are sampled next
	struct drb_receive_share share;    // each port's share of an iteration
	uint64_t answer_ns[DRB_PORTS_MAX]; // see exceptions.c
	// Histograms by drb_log_bin(): sizes of receive bursts, and queue lengths at some of them.
	uint64_t burst_size[DRB_LOG_BINS], queue_length[DRB_LOG_BINS];
};
