// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/unfinished.h"

#include <rte_hash_crc.h>
#include <rte_ip.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

bool drb_finish_checksum(uint8_t *frame, uint32_t length, uint32_t start, uint32_t field)
{
	if (start + field + (field == DRB_SCTP_CHECKSUM ? 4 : 2) > length)
		return false;
	if (field == DRB_SCTP_CHECKSUM) {
		uint32_t crc = ~rte_hash_crc(frame + start, length - start, UINT32_MAX);
		memcpy(frame + start + field, &crc, sizeof(crc));
		return true;
	}
	uint16_t sum = (uint16_t)~rte_raw_cksum(frame + start, length - start);
	// 0 would say to UDP that there is none; to TCP the two are the same.
	if (sum == 0 && field == DRB_UDP_CHECKSUM)
		sum = 0xffff;
	memcpy(frame + start + field, &sum, sizeof(sum));
	return true;
}

void drb_find_unfinished(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *), *ip = frame + DRB_ETHER_HEADER;
	const uint32_t length = m->data_len;
	uint32_t sum, start;
	uint8_t protocol;

	if (length < DRB_ETHER_HEADER + DRB_IPV4_HEADER + DRB_UDP_HEADER)
		return;
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);
	if (type == DRB_ETHERTYPE_IPV4 && ip[0] == DRB_IPV4_PLAIN) {
		start = DRB_ETHER_HEADER + DRB_IPV4_HEADER;
		protocol = ip[DRB_IPV4_PROTOCOL];
		sum = rte_ipv4_phdr_cksum((const struct rte_ipv4_hdr *)ip, 0);
	} else if (type == DRB_ETHERTYPE_IPV6 && length >= DRB_ETHER_HEADER + DRB_IPV6_HEADER) {
		start = DRB_ETHER_HEADER + DRB_IPV6_HEADER;
		protocol = ip[DRB_IPV6_NEXT];
		sum = rte_ipv6_phdr_cksum((const struct rte_ipv6_hdr *)ip, 0);
	} else {
		return;
	}
	if (protocol != DRB_PROTOCOL_TCP && protocol != DRB_PROTOCOL_UDP)
		return;
	uint32_t field = protocol == DRB_PROTOCOL_TCP ? DRB_TCP_CHECKSUM : DRB_UDP_CHECKSUM;
	if (start + field + 2 <= length &&
	    memcmp(frame + start + field, &(uint16_t){(uint16_t)sum}, 2) == 0)
		drb_mark_unfinished(m, start, field);
}

void drb_finish_checksums(struct rte_mbuf **packets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		if (likely(!drb_is_unfinished(m)))
			continue;
		drb_finish_checksum(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, m->l3_len,
				    m->l4_len);
		m->ol_flags &= ~RTE_MBUF_F_RX_L4_CKSUM_MASK;
	}
}
