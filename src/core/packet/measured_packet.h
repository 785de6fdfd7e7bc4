// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A measured packet: Ethernet, IPv4, UDP and this payload, all fields in network byte order.
// `drbgen write` makes it, `drbgen replay` fills in tx_ns, and the sinks of drbgen read it.

#include <stdint.h>

#include "core/packet/wire.h"

#define DRB_MEASURED_MAGIC UINT32_C(0x44524250) // "DRBP"
#define DRB_MEASURED_VERSION 1
#define DRB_MEASURED_UDP_PORT 7471 // UDP source and destination port

struct drb_measured_payload {
	uint32_t magic;    // DRB_MEASURED_MAGIC
	uint8_t version;   // DRB_MEASURED_VERSION
	uint8_t zero[3];   // 0
	uint32_t src;      // label of the sender
	uint32_t dst;      // label of the receiver
	uint32_t cohort;   // number of the slot in which the packet is born
	uint32_t sequence; // 0, 1, ... in the stream (src, dst)
	uint64_t tx_ns;    // CLOCK_MONOTONIC when sent; 0 in a file
};

_Static_assert(sizeof(struct drb_measured_payload) == 32, "no padding on the wire");

#define DRB_MEASURED_FRAME_MIN                                                                     \
	(DRB_ETHER_HEADER + DRB_IPV4_HEADER + DRB_UDP_HEADER +                                     \
	 sizeof(struct drb_measured_payload)) // bytes without FCS
