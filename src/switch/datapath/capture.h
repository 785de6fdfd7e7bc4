// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies of packets for an external reader (common/capture). Without a capture, a worker's `capture` is NULL,
// and the cost is one test per burst.

#include <stdint.h>

#include "common/capture/capture_ring.h"
#include "switch/datapath/worker/worker.h"

struct rte_mbuf;

// Of one worker; constant while it is in use.
struct drb_capture {
	struct drb_capture_ring *ring;
	uint64_t ports; // a bit each
	uint32_t snap, insns;
	struct drb_capture_insn insn[DRB_CAPTURE_INSNS];
};

// Packets that port in has received, before anything is done with them.
void drb_capture_received(struct drb_worker *w, uint32_t in, struct rte_mbuf *const *packets,
			  uint32_t count);
// A packet that is dropped and counted at this port. kind: DRB_CAPTURE_DROP_IN or DRB_CAPTURE_DROP_OUT.
void drb_capture_dropped(struct drb_worker *w, uint32_t port, const struct rte_mbuf *m,
			 enum drb_capture_kind kind, enum drb_drop reason);

// Packets that may leave by a port are copied before the driver has them, and kept if it took them:
// begin, send, end with how many the driver is done with. Nothing is written in between.
struct drb_capture_batch {
	uint32_t port, count;
	uint64_t tail[DRB_BURST_MAX];    // behind each packet
	uint32_t lost[DRB_BURST_MAX];    // up to each packet
	uint32_t matched[DRB_BURST_MAX]; // up to each packet
};
void drb_capture_begin_send(struct drb_worker *w, uint32_t port, struct rte_mbuf *const *packets,
			    uint32_t count, struct drb_capture_batch *batch);
void drb_capture_end_send(struct drb_worker *w, const struct drb_capture_batch *batch,
			  uint32_t sent);
