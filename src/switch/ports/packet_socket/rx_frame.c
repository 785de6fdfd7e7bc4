// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_frame.h"

#include <linux/if_ether.h>

#include <rte_mbuf.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"
#include "switch/ports/unfinished.h"

struct drb_vlan_tag drb_rx_tag(const struct tpacket2_hdr *f)
{
	return (struct drb_vlan_tag){
		.present = f->tp_status & TP_STATUS_VLAN_VALID,
		.type = (f->tp_status & TP_STATUS_VLAN_TPID_VALID) ? f->tp_vlan_tpid : ETH_P_8021Q,
		.control = f->tp_vlan_tci,
	};
}

// Inserts the tag that the kernel has removed from a frame of `octets` bytes. Returns the tag's
// bytes.
static uint32_t put_tag(const struct tpacket2_hdr *f, uint8_t *to, uint32_t octets)
{
	struct drb_vlan_tag tag = drb_rx_tag(f);

	memmove(to + DRB_ETHER_TYPE + DRB_VLAN_TAG, to + DRB_ETHER_TYPE, octets - DRB_ETHER_TYPE);
	drb_store16(to + DRB_ETHER_TYPE, tag.type);
	drb_store16(to + DRB_ETHER_TYPE + 2, tag.control);
	return DRB_VLAN_TAG;
}

// Marks the checksum of a complete frame as unfinished, or finishes it if it may not stay
// unfinished.
static void leave_checksum(struct rte_mbuf *m, const struct virtio_net_hdr *cut, uint32_t moved)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t start = cut->csum_start + moved, field = cut->csum_offset;

	if (drb_may_stay_unfinished(frame, m->data_len, start, field))
		drb_mark_unfinished(m, start, field);
	else
		drb_finish_checksum(frame, m->data_len, start, field);
}

void drb_rx_copy(const struct tpacket2_hdr *f, uint32_t frame_max, struct rte_mbuf *m)
{
	struct virtio_net_hdr cut = drb_rx_cut(f);
	uint8_t *to = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t octets = drb_rx_shortened(f->tp_snaplen, frame_max), moved = 0;

	memcpy(to, drb_rx_octets(f), octets);
	if (unlikely(f->tp_status & TP_STATUS_VLAN_VALID) && octets >= DRB_ETHER_TYPE)
		moved = put_tag(f, to, octets);
	m->pkt_len = octets + moved;
	m->data_len = (uint16_t)m->pkt_len;
	if ((cut.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) && octets == f->tp_len)
		leave_checksum(m, &cut, moved);
}
