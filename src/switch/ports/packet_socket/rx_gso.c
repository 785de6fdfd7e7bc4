// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/rx_gso.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_mbuf.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"
#include "switch/ports/unfinished.h"

bool drb_rx_gso_begin(struct drb_rx_gso *t, const struct virtio_net_hdr *cut, uint32_t length,
		      const struct drb_vlan_tag *tag, uint32_t frame_max)
{
	struct virtio_net_hdr here = *cut;

	t->start = DRB_TAG_ROOM;
	t->next = t->segments = 0;
	t->too_long = false;
	if (length < DRB_ETHER_HEADER)
		return false;
	if (tag->present) {
		t->start -= DRB_VLAN_TAG;
		length += DRB_VLAN_TAG;
		here.csum_start += DRB_VLAN_TAG;
		memmove(t->octets + t->start, t->octets + DRB_TAG_ROOM, DRB_ETHER_TYPE);
		drb_store16(t->octets + t->start + DRB_ETHER_TYPE, tag->type);
		drb_store16(t->octets + t->start + DRB_ETHER_TYPE + 2, tag->control);
	}
	if (!drb_gso_read(&t->gso, &here, t->octets + t->start, length))
		return false;
	t->too_long = t->gso.headers + drb_gso_payload(&t->gso, 0) > frame_max;
	if (t->too_long)
		return false;
	t->segments = drb_gso_segments(&t->gso);
	return true;
}

static struct drb_vlan_tag tag_of(struct msghdr *message)
{
	struct drb_vlan_tag tag = {.type = ETH_P_8021Q};
	struct tpacket_auxdata said;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA ||
		    c->cmsg_len < CMSG_LEN(sizeof(said)))
			continue;
		memcpy(&said, CMSG_DATA(c), sizeof(said));
		tag.present = said.tp_status & TP_STATUS_VLAN_VALID;
		tag.control = said.tp_vlan_tci;
		if (said.tp_status & TP_STATUS_VLAN_TPID_VALID)
			tag.type = said.tp_vlan_tpid;
	}
	return tag;
}

uint32_t drb_rx_gso_read(struct drb_rx_gso *t, int fd, uint32_t frame_max, bool *whole)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct virtio_net_hdr cut;
	struct iovec parts[] = {{&cut, sizeof(cut)}, {t->octets + DRB_TAG_ROOM, DRB_GSO_MAX}};
	struct msghdr message = {.msg_iov = parts,
				 .msg_iovlen = 2,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);

	if (n < 0) // an error of the interface is reported before received frames
		n = recvmsg(fd, &message, MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(cut) || cut.gso_type == VIRTIO_NET_HDR_GSO_NONE)
		return 0;
	uint32_t length = (uint32_t)n - (uint32_t)sizeof(cut);
	struct drb_vlan_tag tag = tag_of(&message);
	*whole = !(message.msg_flags & MSG_TRUNC) &&
		 drb_rx_gso_begin(t, &cut, length, &tag, frame_max);
	return length;
}

uint32_t drb_rx_gso_cut(struct drb_rx_gso *t, struct rte_mempool *pool, struct rte_mbuf **packets,
			uint32_t count)
{
	const struct drb_gso *gso = &t->gso;
	const uint8_t *frame = t->octets + t->start;
	uint32_t n = t->segments - t->next;

	n = n < count ? n : count;
	while (n > 0 && rte_pktmbuf_alloc_bulk(pool, packets, n) != 0)
		n /= 2;
	for (uint32_t i = 0; i < n; i++, t->next++) {
		struct rte_mbuf *m = packets[i];
		uint8_t *to = rte_pktmbuf_mtod(m, uint8_t *);
		uint32_t payload = drb_gso_payload(gso, t->next);
		drb_gso_write_headers(gso, frame, t->next, to);
		memcpy(to + gso->headers, frame + gso->headers + t->next * gso->size, payload);
		m->pkt_len = gso->headers + payload;
		m->data_len = (uint16_t)m->pkt_len;
		drb_mark_unfinished(m, gso->transport,
				    gso->tcp ? DRB_TCP_CHECKSUM : DRB_UDP_CHECKSUM);
	}
	return n;
}
