// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/tcp_coalesce.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>

// A frame that is a TCP segment with a payload, and nothing behind it.
struct segment {
	const uint8_t *frame;
	uint32_t ip;      // octets of the IP header: 20 or 40
	uint32_t headers; // octets before the payload
	uint32_t payload; // octets
};

static bool is_ipv4(const struct segment *s)
{
	return s->ip == sizeof(struct rte_ipv4_hdr);
}

static const struct rte_ipv4_hdr *ipv4_of(const struct segment *s)
{
	return (const struct rte_ipv4_hdr *)(s->frame + RTE_ETHER_HDR_LEN);
}

static const struct rte_ipv6_hdr *ipv6_of(const struct segment *s)
{
	return (const struct rte_ipv6_hdr *)(s->frame + RTE_ETHER_HDR_LEN);
}

static const struct rte_tcp_hdr *tcp_of(const struct segment *s)
{
	return (const struct rte_tcp_hdr *)(s->frame + RTE_ETHER_HDR_LEN + s->ip);
}

// Octets of the IP packet of a frame with a whole IP header, by what that says; 0: it is none that
// is cut, or has options or fragments. *ip: octets of its header.
static uint32_t ip_length(const uint8_t *frame, uint32_t *ip)
{
	const struct rte_ether_hdr *ether = (const struct rte_ether_hdr *)frame;
	const struct rte_ipv4_hdr *v4 = (const struct rte_ipv4_hdr *)(frame + RTE_ETHER_HDR_LEN);
	const struct rte_ipv6_hdr *v6 = (const struct rte_ipv6_hdr *)(frame + RTE_ETHER_HDR_LEN);

	*ip = sizeof(*v4);
	if (ether->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4))
		return v4->version_ihl == RTE_IPV4_VHL_DEF && v4->next_proto_id == IPPROTO_TCP &&
				       !(v4->fragment_offset & ~RTE_BE16(RTE_IPV4_HDR_DF_FLAG))
			       ? rte_be_to_cpu_16(v4->total_length)
			       : 0;
	*ip = sizeof(*v6);
	if (ether->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
		return rte_be_to_cpu_32(v6->vtc_flow) >> 28 == 6 && v6->proto == IPPROTO_TCP
			       ? *ip + rte_be_to_cpu_16(v6->payload_len)
			       : 0;
	return 0;
}

static bool read_segment(const struct rte_mbuf *m, struct segment *s)
{
	const uint32_t tcp_min = sizeof(struct rte_tcp_hdr);
	uint32_t length;

	s->frame = rte_pktmbuf_mtod(m, const uint8_t *);
	if (m->nb_segs != 1 ||
	    m->data_len <= RTE_ETHER_HDR_LEN + sizeof(struct rte_ipv4_hdr) + tcp_min)
		return false;
	length = ip_length(s->frame, &s->ip);
	if (RTE_ETHER_HDR_LEN + length != m->data_len || length <= s->ip + tcp_min)
		return false;
	const struct rte_tcp_hdr *tcp = tcp_of(s);
	uint32_t tcp_length = (tcp->data_off >> 4) * 4u;
	s->headers = RTE_ETHER_HDR_LEN + s->ip + tcp_length;
	s->payload = m->data_len - s->headers;
	return tcp_length >= tcp_min && s->headers < m->data_len &&
	       (tcp->tcp_flags & ~RTE_TCP_PSH_FLAG) == RTE_TCP_ACK_FLAG;
}

// Whether s is what is cut off after so many segments and octets of payload, but for checksums.
static bool follows(const struct segment *s, const struct segment *first, uint32_t segments,
		    uint32_t payload)
{
	uint8_t headers[DRB_COALESCE_HEADERS_MAX];

	if (s->ip != first->ip || s->headers != first->headers || s->payload > first->payload ||
	    rte_be_to_cpu_32(tcp_of(s)->sent_seq) !=
		    rte_be_to_cpu_32(tcp_of(first)->sent_seq) + payload)
		return false;
	memcpy(headers, s->frame, s->headers);
	if (is_ipv4(s)) {
		struct rte_ipv4_hdr *v4 = (struct rte_ipv4_hdr *)(headers + RTE_ETHER_HDR_LEN);
		uint32_t id = rte_be_to_cpu_16(ipv4_of(first)->packet_id) + segments;
		if (rte_be_to_cpu_16(v4->packet_id) != (uint16_t)id)
			return false;
		v4->packet_id = ipv4_of(first)->packet_id;
		v4->total_length = ipv4_of(first)->total_length;
		v4->hdr_checksum = ipv4_of(first)->hdr_checksum;
	} else {
		struct rte_ipv6_hdr *v6 = (struct rte_ipv6_hdr *)(headers + RTE_ETHER_HDR_LEN);
		v6->payload_len = ipv6_of(first)->payload_len;
	}
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(headers + RTE_ETHER_HDR_LEN + s->ip);
	tcp->sent_seq = tcp_of(first)->sent_seq;
	tcp->tcp_flags = tcp_of(first)->tcp_flags;
	tcp->cksum = tcp_of(first)->cksum;
	return memcmp(headers, first->frame, s->headers) == 0;
}

// Of the two ways to write a checksum of zero only one is ever computed.
static bool is_undamaged(const struct segment *s)
{
	const uint16_t never = 0xffff, right = 0xffff;
	uint32_t sum =
		rte_raw_cksum(tcp_of(s), s->headers + s->payload - RTE_ETHER_HDR_LEN - s->ip);

	if (is_ipv4(s)) {
		sum += rte_ipv4_phdr_cksum(ipv4_of(s), 0);
		if (ipv4_of(s)->hdr_checksum == never || rte_raw_cksum(ipv4_of(s), s->ip) != right)
			return false;
	} else {
		sum += rte_ipv6_phdr_cksum(ipv6_of(s), 0);
	}
	return tcp_of(s)->cksum != never && (sum & 0xffff) + (sum >> 16) == right;
}

static bool is_last(const struct segment *s, const struct segment *first)
{
	return s->payload < first->payload || (tcp_of(s)->tcp_flags & RTE_TCP_PSH_FLAG);
}

uint32_t drb_coalesce_count(struct rte_mbuf *const *packets, uint32_t count)
{
	struct segment first, next;
	uint32_t length = 1, octets;

	if (count < 2 || !read_segment(packets[0], &first) || is_last(&first, &first))
		return 1;
	octets = first.headers + first.payload;
	while (length < count && read_segment(packets[length], &next) &&
	       octets + next.payload <= DRB_COALESCE_OCTETS_MAX &&
	       follows(&next, &first, length, octets - first.headers)) {
		if ((length == 1 && !is_undamaged(&first)) || !is_undamaged(&next))
			break;
		octets += next.payload;
		length++;
		if (is_last(&next, &first))
			break;
	}
	return length;
}

uint32_t drb_coalesce_begin(struct rte_mbuf *const *packets, uint32_t length,
			    struct drb_coalesce_header *head)
{
	struct segment first, last;
	uint32_t octets;

	read_segment(packets[0], &first);
	read_segment(packets[length - 1], &last);
	octets = first.headers + (length - 1) * first.payload + last.payload;
	head->cut = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = is_ipv4(&first) ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6,
		.hdr_len = (uint16_t)first.headers,
		.gso_size = (uint16_t)first.payload,
		.csum_start = (uint16_t)(RTE_ETHER_HDR_LEN + first.ip),
		.csum_offset = offsetof(struct rte_tcp_hdr, cksum),
	};
	memcpy(head->headers, first.frame, first.headers);
	uint8_t *ip = head->headers + RTE_ETHER_HDR_LEN;
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(ip + first.ip);
	tcp->tcp_flags = tcp_of(&last)->tcp_flags;
	// The kernel wants the sum of the pseudo header there, and adds to it.
	if (is_ipv4(&first)) {
		struct rte_ipv4_hdr *v4 = (struct rte_ipv4_hdr *)ip;
		v4->total_length = rte_cpu_to_be_16((uint16_t)(octets - RTE_ETHER_HDR_LEN));
		tcp->cksum = rte_ipv4_phdr_cksum(v4, 0);
	} else {
		struct rte_ipv6_hdr *v6 = (struct rte_ipv6_hdr *)ip;
		v6->payload_len =
			rte_cpu_to_be_16((uint16_t)(octets - RTE_ETHER_HDR_LEN - first.ip));
		tcp->cksum = rte_ipv6_phdr_cksum(v6, 0);
	}
	return first.headers;
}
