// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/complete_checksum.h"

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

// A transport header and what follows it, up to the end of the IP packet.
struct segment {
	uint8_t *at;
	uint32_t length;
	uint8_t protocol;
};

static uint32_t ip_offset(const uint8_t *frame, uint32_t length, uint16_t *type)
{
	uint32_t at = DRB_ETHER_TYPE;

	while (at + DRB_VLAN_TAG + 2 <= length) {
		*type = drb_load16(frame + at);
		if (*type != DRB_ETHERTYPE_VLAN && *type != DRB_ETHERTYPE_QINQ)
			return at + 2;
		at += DRB_VLAN_TAG;
	}
	*type = 0;
	return length;
}

// False if the frame is too short, or no IP.
static bool find_segment(uint8_t *frame, uint32_t length, struct segment *s)
{
	uint16_t type;
	uint32_t at = ip_offset(frame, length, &type), header, packet;
	uint8_t *ip = frame + at;

	length -= at;
	if (type == DRB_ETHERTYPE_IPV4 && length >= DRB_IPV4_HEADER) {
		header = (ip[0] & 0xfU) * 4;
		packet = drb_load16(ip + DRB_IPV4_LENGTH);
		s->protocol = ip[DRB_IPV4_PROTOCOL];
	} else if (type == DRB_ETHERTYPE_IPV6 && length >= DRB_IPV6_HEADER) {
		header = DRB_IPV6_HEADER;
		packet = header + drb_load16(ip + DRB_IPV6_PAYLOAD);
		s->protocol = ip[DRB_IPV6_NEXT];
	} else {
		return false;
	}
	if (header < DRB_IPV4_HEADER || packet > length || header > packet)
		return false;
	s->at = ip + header;
	s->length = packet - header;
	return true;
}

bool drb_complete_checksum(uint8_t *frame, uint32_t length)
{
	struct segment s;
	uint32_t field;

	if (!find_segment(frame, length, &s))
		return false;
	if (s.protocol == DRB_PROTOCOL_TCP)
		field = DRB_TCP_CHECKSUM;
	else if (s.protocol == DRB_PROTOCOL_UDP)
		field = DRB_UDP_CHECKSUM;
	else
		return false;
	if (s.length < field + 2)
		return false;
	// What is in the field already is part of the sum.
	uint16_t sum = drb_checksum(s.at, s.length);
	if (sum == 0 && s.protocol == DRB_PROTOCOL_UDP)
		sum = 0xffff; // 0 would say that there is none
	drb_store16(s.at + field, sum);
	return true;
}
