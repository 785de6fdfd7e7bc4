// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measured packets as frames: Ethernet, IPv4, UDP, struct drb_measured_payload, and zeros up to the
// frame size. Pure functions over byte buffers; frames are without FCS.

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/packet/bytes.h"
#include "core/packet/measured_packet.h"
#include "core/packet/wire.h"

#define FRAME_MIN DRB_MEASURED_FRAME_MIN
#define FRAME_MAX (DRB_ETHER_HEADER + DRB_MTU_MAX)

// Offsets of headers and payload in the frame: no VLAN tag, no IPv4 options.
enum {
	FRAME_IP = DRB_ETHER_HEADER,
	FRAME_UDP = FRAME_IP + DRB_IPV4_HEADER,
	FRAME_PROBE_AT = FRAME_UDP + DRB_UDP_HEADER,
};
#define FRAME_AT(field) (FRAME_PROBE_AT + offsetof(struct drb_measured_payload, field))

// Contents of a measured packet, in host byte order.
struct frame_probe {
	uint32_t src, dst; // labels
	uint32_t cohort;   // slot in which it is born
	uint32_t sequence; // in the stream (src, dst)
	uint64_t tx_ns;    // CLOCK_MONOTONIC; 0 in a file
};

// Writes a measured packet of `size` bytes, FRAME_MIN <= size <= FRAME_MAX; both labels must be
// below plan->hosts. The UDP checksum is 0 (none, RFC 768), because the transmit time changes at
// the last moment.
void frame_build(uint8_t *frame, uint32_t size, const struct drb_addr_plan *plan,
		 const struct frame_probe *probe);

// Fills in the transmit time of a measured packet.
static inline void frame_set_tx(uint8_t *frame, uint64_t tx_ns)
{
	drb_store64(frame + FRAME_AT(tx_ns), tx_ns);
}

// True if these are the addresses of the host.
static inline bool frame_is_of(const struct drb_addr_plan *plan, uint32_t host, const uint8_t *mac,
			       const uint8_t *ipv4)
{
	return host < plan->hosts && drb_load32(mac + 2) == host &&
	       drb_load16(mac) == drb_load16(plan->mac) &&
	       drb_load32(ipv4) == drb_addr_ipv4(plan, host);
}

// True if these FRAME_MIN bytes are the beginning of a measured packet. Also runs inside the
// kernel.
static inline bool frame_is_measured(const uint8_t *frame)
{
	return drb_load16(frame + DRB_ETHER_TYPE) == DRB_ETHERTYPE_IPV4 &&
	       frame[FRAME_IP] == DRB_IPV4_PLAIN &&
	       frame[FRAME_IP + DRB_IPV4_PROTOCOL] == DRB_PROTOCOL_UDP &&
	       drb_load16(frame + FRAME_UDP + DRB_UDP_DST_PORT) == DRB_MEASURED_UDP_PORT &&
	       drb_load32(frame + FRAME_AT(magic)) == DRB_MEASURED_MAGIC &&
	       frame[FRAME_AT(version)] == DRB_MEASURED_VERSION;
}

// Reads a frame with `size` captured bytes. 0; -ENOMSG if it is not a measured packet; -EBADMSG
// (with *probe filled in) if its addresses do not belong to the labels that it carries.
static inline int frame_parse(const uint8_t *frame, size_t size, const struct drb_addr_plan *plan,
			      struct frame_probe *probe)
{
	if (size < FRAME_MIN || !frame_is_measured(frame))
		return -ENOMSG;
	*probe = (struct frame_probe){
		.src = drb_load32(frame + FRAME_AT(src)),
		.dst = drb_load32(frame + FRAME_AT(dst)),
		.cohort = drb_load32(frame + FRAME_AT(cohort)),
		.sequence = drb_load32(frame + FRAME_AT(sequence)),
		.tx_ns = drb_load64(frame + FRAME_AT(tx_ns)),
	};
	if (!frame_is_of(plan, probe->src, frame + DRB_ETHER_SRC,
			 frame + FRAME_IP + DRB_IPV4_SRC) ||
	    !frame_is_of(plan, probe->dst, frame + DRB_ETHER_DST, frame + FRAME_IP + DRB_IPV4_DST))
		return -EBADMSG;
	return 0;
}
