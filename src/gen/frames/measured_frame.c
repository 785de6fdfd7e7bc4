// SPDX-License-Identifier: BSD-3-Clause
#include "gen/frames/measured_frame.h"

#include <string.h>

#include "core/packet/checksum.h"

void frame_build(uint8_t *frame, uint32_t size, const struct drb_addr_plan *plan,
		 const struct frame_probe *probe)
{
	memset(frame, 0, size);
	drb_addr_mac(plan, probe->dst, frame + DRB_ETHER_DST);
	drb_addr_mac(plan, probe->src, frame + DRB_ETHER_SRC);
	drb_store16(frame + DRB_ETHER_TYPE, DRB_ETHERTYPE_IPV4);

	frame[FRAME_IP] = DRB_IPV4_PLAIN;
	drb_store16(frame + FRAME_IP + DRB_IPV4_LENGTH, (uint16_t)(size - FRAME_IP));
	drb_store16(frame + FRAME_IP + DRB_IPV4_FRAGMENT, DRB_IPV4_DONT);
	frame[FRAME_IP + DRB_IPV4_TTL] = 64;
	frame[FRAME_IP + DRB_IPV4_PROTOCOL] = DRB_PROTOCOL_UDP;
	drb_store32(frame + FRAME_IP + DRB_IPV4_SRC, drb_addr_ipv4(plan, probe->src));
	drb_store32(frame + FRAME_IP + DRB_IPV4_DST, drb_addr_ipv4(plan, probe->dst));
	drb_store16(frame + FRAME_IP + DRB_IPV4_CHECKSUM,
		    drb_checksum(frame + FRAME_IP, DRB_IPV4_HEADER));

	drb_store16(frame + FRAME_UDP + DRB_UDP_SRC_PORT, DRB_MEASURED_UDP_PORT);
	drb_store16(frame + FRAME_UDP + DRB_UDP_DST_PORT, DRB_MEASURED_UDP_PORT);
	drb_store16(frame + FRAME_UDP + DRB_UDP_LENGTH, (uint16_t)(size - FRAME_UDP));

	drb_store32(frame + FRAME_AT(magic), DRB_MEASURED_MAGIC);
	frame[FRAME_AT(version)] = DRB_MEASURED_VERSION;
	drb_store32(frame + FRAME_AT(src), probe->src);
	drb_store32(frame + FRAME_AT(dst), probe->dst);
	drb_store32(frame + FRAME_AT(cohort), probe->cohort);
	drb_store32(frame + FRAME_AT(sequence), probe->sequence);
	drb_store64(frame + FRAME_AT(tx_ns), probe->tx_ns);
}
