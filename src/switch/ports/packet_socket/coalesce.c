// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/coalesce.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "switch/ports/packet_socket/gso_packet.h"
#include "switch/ports/unfinished.h"

// A frame that is a TCP segment or a UDP packet with a payload, and without padding.
struct segment {
	const uint8_t *frame;
	uint32_t ip;      // bytes of the IP header: 20 or 40
	uint32_t headers; // bytes before the payload
	uint32_t payload; // bytes
	bool tcp;
	bool unfinished;
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

static const struct rte_udp_hdr *udp_of(const struct segment *s)
{
	return (const struct rte_udp_hdr *)(s->frame + RTE_ETHER_HDR_LEN + s->ip);
}

// Returns the bytes of a frame's IP packet, as its header says. The frame must hold a whole header.
// 0: no IP packet, or one with options or of fragments, which is not coalesced. *ip: bytes of the
// header.
static uint32_t ip_length(const uint8_t *frame, uint32_t *ip, uint8_t *protocol)
{
	const struct rte_ether_hdr *ether = (const struct rte_ether_hdr *)frame;
	const struct rte_ipv4_hdr *v4 = (const struct rte_ipv4_hdr *)(frame + RTE_ETHER_HDR_LEN);
	const struct rte_ipv6_hdr *v6 = (const struct rte_ipv6_hdr *)(frame + RTE_ETHER_HDR_LEN);

	*ip = sizeof(*v4);
	*protocol = v4->next_proto_id;
	if (ether->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4))
		return v4->version_ihl == RTE_IPV4_VHL_DEF &&
				       !(v4->fragment_offset & ~RTE_BE16(RTE_IPV4_HDR_DF_FLAG))
			       ? rte_be_to_cpu_16(v4->total_length)
			       : 0;
	*ip = sizeof(*v6);
	*protocol = v6->proto;
	if (ether->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
		return rte_be_to_cpu_32(v6->vtc_flow) >> 28 == 6
			       ? *ip + rte_be_to_cpu_16(v6->payload_len)
			       : 0;
	return 0;
}

static bool read_tcp(struct segment *s, uint32_t length)
{
	const uint32_t least = sizeof(struct rte_tcp_hdr);

	if (length <= RTE_ETHER_HDR_LEN + s->ip + least)
		return false;
	const struct rte_tcp_hdr *tcp = tcp_of(s);
	uint32_t header = (tcp->data_off >> 4) * 4u;
	s->headers = RTE_ETHER_HDR_LEN + s->ip + header;
	return header >= least && s->headers < length &&
	       (tcp->tcp_flags & ~RTE_TCP_PSH_FLAG) == RTE_TCP_ACK_FLAG;
}

static bool read_udp(struct segment *s, uint32_t length)
{
	s->headers = RTE_ETHER_HDR_LEN + s->ip + (uint32_t)sizeof(struct rte_udp_hdr);
	return s->headers < length &&
	       rte_be_to_cpu_16(udp_of(s)->dgram_len) == length - RTE_ETHER_HDR_LEN - s->ip;
}

static bool read_segment(const struct rte_mbuf *m, struct segment *s)
{
	const uint32_t least = RTE_ETHER_HDR_LEN + sizeof(struct rte_ipv4_hdr);
	uint8_t protocol;

	s->frame = rte_pktmbuf_mtod(m, const uint8_t *);
	s->unfinished = drb_is_unfinished(m);
	if (m->nb_segs != 1 || m->data_len <= least + sizeof(struct rte_udp_hdr) ||
	    RTE_ETHER_HDR_LEN + ip_length(s->frame, &s->ip, &protocol) != m->data_len)
		return false;
	// The kernel expects an unfinished checksum in the transport header that is cut.
	if (s->unfinished && m->l3_len != RTE_ETHER_HDR_LEN + s->ip)
		return false;
	s->tcp = protocol == IPPROTO_TCP;
	if (s->tcp ? !read_tcp(s, m->data_len)
		   : protocol != IPPROTO_UDP || !read_udp(s, m->data_len))
		return false;
	s->payload = m->data_len - s->headers;
	return true;
}

// Copies the fields of the IP header that differ within a GSO packet from a to `ip`.
static void level_ip(const struct segment *a, uint8_t *ip)
{
	if (is_ipv4(a)) {
		struct rte_ipv4_hdr *v4 = (struct rte_ipv4_hdr *)ip;
		v4->packet_id = ipv4_of(a)->packet_id;
		v4->total_length = ipv4_of(a)->total_length;
		v4->hdr_checksum = ipv4_of(a)->hdr_checksum;
	} else {
		((struct rte_ipv6_hdr *)ip)->payload_len = ipv6_of(a)->payload_len;
	}
}

static void level_transport(const struct segment *a, uint8_t *transport)
{
	if (a->tcp) {
		struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)transport;
		tcp->sent_seq = tcp_of(a)->sent_seq;
		tcp->tcp_flags = tcp_of(a)->tcp_flags;
		tcp->cksum = tcp_of(a)->cksum;
	} else {
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)transport;
		udp->dgram_len = udp_of(a)->dgram_len;
		udp->dgram_cksum = udp_of(a)->dgram_cksum;
	}
}

// True if the kernel would cut s from the GSO packet of `first` after `segments` segments with
// `payload` bytes of payload. Checksums are not compared.
static bool follows(const struct segment *s, const struct segment *first, uint32_t segments,
		    uint32_t payload)
{
	uint8_t headers[DRB_COALESCE_HEADERS_MAX];

	if (s->ip != first->ip || s->headers != first->headers || s->tcp != first->tcp ||
	    s->unfinished != first->unfinished || s->payload > first->payload)
		return false;
	if (s->tcp && rte_be_to_cpu_32(tcp_of(s)->sent_seq) !=
			      rte_be_to_cpu_32(tcp_of(first)->sent_seq) + payload)
		return false;
	if (is_ipv4(s) &&
	    rte_be_to_cpu_16(ipv4_of(s)->packet_id) !=
		    (uint16_t)(rte_be_to_cpu_16(ipv4_of(first)->packet_id) + segments))
		return false;
	memcpy(headers, s->frame, s->headers);
	level_ip(first, headers + RTE_ETHER_HDR_LEN);
	level_transport(first, headers + RTE_ETHER_HDR_LEN + s->ip);
	return memcmp(headers, first->frame, s->headers) == 0;
}

static uint16_t pseudo_sum(const struct segment *s)
{
	return is_ipv4(s) ? rte_ipv4_phdr_cksum(ipv4_of(s), 0) : rte_ipv6_phdr_cksum(ipv6_of(s), 0);
}

// True if the checksums are what the kernel would compute. A sum of zero has two representations,
// of which only one is ever computed: 0 in TCP and IPv4. In UDP it is 0xffff, because 0 means that
// there is no checksum.
static bool is_undamaged(const struct segment *s)
{
	const uint16_t never = 0xffff, right = 0xffff;
	uint16_t check = s->tcp ? tcp_of(s)->cksum : udp_of(s)->dgram_cksum;

	if (is_ipv4(s) &&
	    (ipv4_of(s)->hdr_checksum == never || rte_raw_cksum(ipv4_of(s), s->ip) != right))
		return false;
	if (s->unfinished)
		return check == pseudo_sum(s);
	uint32_t sum =
		rte_raw_cksum(tcp_of(s), s->headers + s->payload - RTE_ETHER_HDR_LEN - s->ip);
	sum += pseudo_sum(s);
	return check != (s->tcp ? never : 0) && (sum & 0xffff) + (sum >> 16) == right;
}

static bool is_last(const struct segment *s, const struct segment *first)
{
	return s->payload < first->payload || (s->tcp && (tcp_of(s)->tcp_flags & RTE_TCP_PSH_FLAG));
}

static bool may_begin(const struct drb_coalesce_rules *rules, const struct segment *first)
{
	uint32_t max = first->unfinished ? rules->unfinished_max : rules->finished_max;

	return first->headers + first->payload <= max && (first->tcp || rules->udp) &&
	       !is_last(first, first);
}

uint32_t drb_coalesce_count(const struct drb_coalesce_rules *rules, struct rte_mbuf *const *packets,
			    uint32_t count)
{
	struct segment first, next;
	uint32_t length = 1, octets;

	if (count < 2 || !read_segment(packets[0], &first) || !may_begin(rules, &first))
		return 1;
	if (!first.tcp && count > DRB_COALESCE_UDP_MAX)
		count = DRB_COALESCE_UDP_MAX;
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

static uint8_t gso_type(const struct segment *s)
{
	if (!s->tcp)
		return VIRTIO_NET_HDR_GSO_UDP_L4;
	return is_ipv4(s) ? VIRTIO_NET_HDR_GSO_TCPV4 : VIRTIO_NET_HDR_GSO_TCPV6;
}

// Turns the headers of the first segment into those of a GSO packet of `octets` bytes. The kernel
// expects the sum of the pseudo-header in the field of the checksum, and adds to it.
static void lengthen(const struct segment *first, uint32_t octets, uint8_t *headers)
{
	uint8_t *ip = headers + RTE_ETHER_HDR_LEN, *transport = ip + first->ip;
	struct segment all = *first;

	all.frame = headers;
	if (is_ipv4(first)) {
		struct rte_ipv4_hdr *v4 = (struct rte_ipv4_hdr *)ip;
		v4->total_length = rte_cpu_to_be_16((uint16_t)(octets - RTE_ETHER_HDR_LEN));
		// The kernel computes this checksum for the packets that it cuts, but not for a GSO
		// packet that stays whole.
		v4->hdr_checksum = 0;
		v4->hdr_checksum = rte_ipv4_cksum(v4);
	} else {
		((struct rte_ipv6_hdr *)ip)->payload_len =
			rte_cpu_to_be_16((uint16_t)(octets - RTE_ETHER_HDR_LEN - first->ip));
	}
	uint16_t sum = pseudo_sum(&all);
	if (first->tcp) {
		((struct rte_tcp_hdr *)transport)->cksum = sum;
	} else {
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)transport;
		udp->dgram_len =
			rte_cpu_to_be_16((uint16_t)(octets - RTE_ETHER_HDR_LEN - first->ip));
		udp->dgram_cksum = sum;
	}
}

uint32_t drb_coalesce_begin(struct rte_mbuf *const *packets, uint32_t length,
			    struct drb_coalesce_header *head)
{
	struct segment first, last;

	read_segment(packets[0], &first);
	read_segment(packets[length - 1], &last);
	head->cut = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = gso_type(&first),
		.hdr_len = (uint16_t)first.headers,
		.gso_size = (uint16_t)first.payload,
		.csum_start = (uint16_t)(RTE_ETHER_HDR_LEN + first.ip),
		.csum_offset = first.tcp ? offsetof(struct rte_tcp_hdr, cksum)
					 : offsetof(struct rte_udp_hdr, dgram_cksum),
	};
	memcpy(head->headers, first.frame, first.headers);
	lengthen(&first, first.headers + (length - 1) * first.payload + last.payload,
		 head->headers);
	if (first.tcp) {
		struct rte_tcp_hdr *tcp =
			(struct rte_tcp_hdr *)(head->headers + RTE_ETHER_HDR_LEN + first.ip);
		tcp->tcp_flags = tcp_of(&last)->tcp_flags;
	}
	return first.headers;
}
