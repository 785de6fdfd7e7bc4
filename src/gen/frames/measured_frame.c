// SPDX-License-Identifier: BSD-3-Clause
#include "gen/frames/measured_frame.h"

#include <string.h>

void frame_build(uint8_t *frame, uint32_t size, const struct drb_addr_plan *plan,
		 const struct frame_probe *probe)
{
	memset(frame, 0, size);
	drb_addr_mac(plan, probe->dst, frame + FRAME_MAC_DST);
	drb_addr_mac(plan, probe->src, frame + FRAME_MAC_SRC);
	store16(frame + FRAME_ETHERTYPE, 0x0800);

	frame[FRAME_IP] = 0x45;
	store16(frame + FRAME_IP_LENGTH, (uint16_t)(size - FRAME_IP));
	store16(frame + FRAME_IP_FLAGS, 0x4000); // do not fragment
	frame[FRAME_IP_TTL] = 64;
	frame[FRAME_IP_PROTOCOL] = 17;
	store32(frame + FRAME_IP_SRC, drb_addr_ipv4(plan, probe->src));
	store32(frame + FRAME_IP_DST, drb_addr_ipv4(plan, probe->dst));
	store16(frame + FRAME_IP_CHECKSUM, checksum(frame + FRAME_IP, 20));

	store16(frame + FRAME_UDP, DRB_MEASURED_UDP_PORT);
	store16(frame + FRAME_UDP + 2, DRB_MEASURED_UDP_PORT);
	store16(frame + FRAME_UDP_LENGTH, (uint16_t)(size - FRAME_UDP));

	store32(frame + FRAME_AT(magic), DRB_MEASURED_MAGIC);
	frame[FRAME_AT(version)] = DRB_MEASURED_VERSION;
	store32(frame + FRAME_AT(src), probe->src);
	store32(frame + FRAME_AT(dst), probe->dst);
	store32(frame + FRAME_AT(cohort), probe->cohort);
	store32(frame + FRAME_AT(sequence), probe->sequence);
	store64(frame + FRAME_AT(tx_ns), probe->tx_ns);
}
