// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The threshold T in force, and the values from which `auto` derives it.
//   packet, flowlet  T = 1 - ln(1 - rho), equation (packet_threshold). rho is the utilisation of
//                    the uplinks, mean over uplinks. With a rate it is the share of time in which
//                    the link was busy with what was sent. Where rings count (ring_load.h) it is
//                    the share of bursts that found packets in the ring. Else the server of a queue
//                    is the worker, and rho is the share of its time in which it moved packets.
//   flow             T(c), equation (c_two), c being live flows per uplink.
// rho is a moving average over about 100 ms, updated every 10 ms.

#include <stdbool.h>
#include <stdint.h>

#include "switch/datapath/worker/ring_load.h"

struct drb_decide_state;
struct drb_worker;

struct drb_threshold {
	// Constant while running.
	bool automatic;
	bool flow; // flow unit
	uint32_t hosts;
	// For the worker only.
	double value;       // T of decisions
	double packet;      // T of packets that are decided alone in flow unit
	double utilisation; // rho
	uint64_t due_ns;    // when to update again
	uint64_t last_ns, last_tsc, last_work;
	uint64_t packets[DRB_PORTS_MAX], octets[DRB_PORTS_MAX]; // sent per uplink by last_ns
	uint64_t looks, busy[DRB_UPLINKS_MAX];                  // of ring_load, at last_ns
};

// Sets T of an empty switch, or the number in the config.
void drb_threshold_init(struct drb_decide_state *d, const struct drb_setup *setup);
// The same for a running worker, which keeps its measurements.
void drb_threshold_set(struct drb_decide_state *d, const struct drb_setup *setup);
// Measures, and puts T in force. Call once w->egress.now_ns has reached due_ns.
void drb_threshold_update(struct drb_worker *w);
