// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies of packets for an external reader (common/capture). Without a capture, a worker's
// `capture` is NULL, and the cost is one test per burst.

#include <stdint.h>

#include "common/capture/capture_ring.h"
#include "switch/datapath/worker/worker.h"

struct rte_mbuf;

// The capture of one worker; constant while it is in use.
struct drb_capture {
	struct drb_capture_ring *ring;
	uint64_t ports; // ports to capture, one bit each
	uint32_t snap, insns;
	struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
};

// Copies packets that port `in` has received. Call before anything else is done with them.
void drb_capture_received(struct drb_worker *w, uint32_t in, struct rte_mbuf *const *packets,
			  uint32_t count);
// Copies a packet that is dropped and counted at this port. kind: DRB_CAPTURE_DROP_IN or
// DRB_CAPTURE_DROP_OUT.
void drb_capture_dropped(struct drb_worker *w, uint32_t port, const struct rte_mbuf *m,
			 enum drb_capture_kind kind, enum drb_drop reason);

// Packets to send are copied before the driver takes them, and copies of those that it refuses are
// discarded. Call begin, then send, then end with the number of packets that the driver is done
// with. Nothing else may be written to the ring in between.
struct drb_capture_batch {
	uint32_t port, count;
	uint64_t tail[DRB_BURST_MAX];    // ring's tail after each packet
	uint32_t lost[DRB_BURST_MAX];    // count up to each packet
	uint32_t matched[DRB_BURST_MAX]; // count up to each packet
};
void drb_capture_begin_send(struct drb_worker *w, uint32_t port, struct rte_mbuf *const *packets,
			    uint32_t count, struct drb_capture_batch *batch);
void drb_capture_end_send(struct drb_worker *w, const struct drb_capture_batch *batch,
			  uint32_t sent);
