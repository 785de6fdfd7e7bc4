// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measured packets as frames: Ethernet, IPv4, UDP, struct drb_measured_payload, zeros up to the
// frame size. Pure functions over byte buffers; frames are without FCS.

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/packet/measured_packet.h"

#include "gen/frames/checksum.h"

#define FRAME_MIN DRB_MEASURED_FRAME_MIN
#define FRAME_MAX 1514 // an MTU of 1500

// Offsets in the frame: Ethernet at 0, IPv4 without options at 14, UDP at 34.
enum { FRAME_MAC_DST = 0, FRAME_MAC_SRC = 6, FRAME_ETHERTYPE = 12, FRAME_IP = 14, FRAME_UDP = 34 };
enum { FRAME_IP_LENGTH = FRAME_IP + 2, FRAME_IP_FLAGS = FRAME_IP + 6, FRAME_IP_TTL = FRAME_IP + 8 };
enum { FRAME_IP_PROTOCOL = FRAME_IP + 9, FRAME_IP_CHECKSUM = FRAME_IP + 10 };
enum { FRAME_IP_SRC = FRAME_IP + 12, FRAME_IP_DST = FRAME_IP + 16 };
enum { FRAME_UDP_LENGTH = FRAME_UDP + 4, FRAME_PROBE_AT = FRAME_UDP + 8 };
#define FRAME_AT(field) (FRAME_PROBE_AT + offsetof(struct drb_measured_payload, field))

// What a measured packet says, in host byte order.
struct frame_probe {
	uint32_t src, dst; // labels
	uint32_t cohort;   // slot it is born in
	uint32_t sequence; // in the stream (src, dst)
	uint64_t tx_ns;    // CLOCK_MONOTONIC; 0 in a file
};

// Writes a measured packet of size bytes, FRAME_MIN <= size <= FRAME_MAX, both labels below
// plan->hosts. The UDP checksum is 0 (none, RFC 768): the transmit time changes at the last moment.
void frame_build(uint8_t *frame, uint32_t size, const struct drb_addr_plan *plan,
		 const struct frame_probe *probe);

// Fills in the transmit time of a measured packet.
static inline void frame_set_tx(uint8_t *frame, uint64_t tx_ns)
{
	store64(frame + FRAME_AT(tx_ns), tx_ns);
}

// Are these the addresses of a host?
static inline bool frame_is_of(const struct drb_addr_plan *plan, uint32_t host, const uint8_t *mac,
			       const uint8_t *ipv4)
{
	return host < plan->hosts && load32(mac + 2) == host && load16(mac) == load16(plan->mac) &&
	       load32(ipv4) == drb_addr_ipv4(plan, host);
}

// Are FRAME_MIN bytes the beginning of a measured packet? Also runs inside the kernel.
static inline bool frame_is_measured(const uint8_t *frame)
{
	return load16(frame + FRAME_ETHERTYPE) == 0x0800 && frame[FRAME_IP] == 0x45 &&
	       frame[FRAME_IP_PROTOCOL] == 17 &&
	       load16(frame + FRAME_UDP + 2) == DRB_MEASURED_UDP_PORT &&
	       load32(frame + FRAME_AT(magic)) == DRB_MEASURED_MAGIC &&
	       frame[FRAME_AT(version)] == DRB_MEASURED_VERSION;
}

// Reads a frame of which size bytes were captured. 0; -ENOMSG if it is not a measured packet;
// -EBADMSG (with *probe filled in) if its addresses are not those of the labels it carries.
static inline int frame_parse(const uint8_t *frame, size_t size, const struct drb_addr_plan *plan,
			      struct frame_probe *probe)
{
	if (size < FRAME_MIN || !frame_is_measured(frame))
		return -ENOMSG;
	*probe = (struct frame_probe){
		.src = load32(frame + FRAME_AT(src)),
		.dst = load32(frame + FRAME_AT(dst)),
		.cohort = load32(frame + FRAME_AT(cohort)),
		.sequence = load32(frame + FRAME_AT(sequence)),
		.tx_ns = load64(frame + FRAME_AT(tx_ns)),
	};
	if (!frame_is_of(plan, probe->src, frame + FRAME_MAC_SRC, frame + FRAME_IP_SRC) ||
	    !frame_is_of(plan, probe->dst, frame + FRAME_MAC_DST, frame + FRAME_IP_DST))
		return -EBADMSG;
	return 0;
}
