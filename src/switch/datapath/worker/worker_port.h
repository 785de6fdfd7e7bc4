// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A port of one worker: the worker's queues of the device, rules for received frames, and counters.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/source_rule.h"

#include "switch/datapath/worker/classify.h"
#include "switch/datapath/worker/egress_queue.h"
#include "switch/ports/port.h"

struct drb_worker_port {
	struct drb_port_queue *queue; // this worker's; NULL: no device
	bool active;                  // a device is behind this port; memif: it has met its peer
	uint32_t host;                // the host behind a down-port of layer 1, else DRB_NO_LABEL
	struct drb_classifier classifier; // of frames as they come in
	struct drb_classifier checked;    // of frames that drb_source_check() has verified
	uint64_t in_packets, in_octets, in_discards;
	uint64_t out_octets;
	uint64_t tx_refused;
	uint64_t lost;                 // packets dropped after they left the queue
	struct drb_source_rule source; // of the host behind the port
	uint32_t host_burst;           // packets that the host may be ahead of its link; 0: any
	struct drb_instant sent;       // when the link would have carried all so far (police.c)
};
