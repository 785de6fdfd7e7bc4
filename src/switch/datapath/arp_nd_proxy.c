// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/arp_nd_proxy.h"

#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

// Offsets of the headers in the frame, and of a neighbour advertisement's option.
enum {
	ARP = DRB_ETHER_HEADER,
	IP6 = DRB_ETHER_HEADER,
	ND = IP6 + DRB_IPV6_HEADER,
	ND_OPTION = ND + DRB_ND_LENGTH,
};

static void address_back(const struct drb_addr_plan *plan, uint32_t owner, uint8_t *frame)
{
	memcpy(frame + DRB_ETHER_DST, frame + DRB_ETHER_SRC, 6);
	drb_addr_mac(plan, owner, frame + DRB_ETHER_SRC);
}

static enum drb_neighbour answer_arp(const struct drb_addr_plan *plan, uint32_t asker,
				     uint8_t *frame, uint32_t *len)
{
	// Hardware Ethernet, protocol IPv4, lengths of their addresses, operation request.
	static const uint8_t request[8] = {0, 1, 8, 0, 6, 4, 0, DRB_ARP_REQUEST};
	uint8_t *arp = frame + ARP, sender_ip[4];
	uint32_t owner;

	if (*len < ARP + DRB_ARP_LENGTH)
		return DRB_NEIGHBOUR_BAD;
	if (memcmp(arp, request, sizeof(request)) != 0)
		return DRB_NEIGHBOUR_OTHER;
	if (memcmp(arp + DRB_ARP_SENDER_MAC, frame + DRB_ETHER_SRC, 6) != 0)
		return DRB_NEIGHBOUR_SPOOFED;
	owner = drb_addr_of_ipv4(plan, drb_load32(arp + DRB_ARP_TARGET_IP));
	if (owner == DRB_NO_LABEL)
		return DRB_NEIGHBOUR_UNKNOWN;
	// A sender of 0.0.0.0 asks whether the address is free (RFC 5227). Its owner answers, not
	// the switch; answer_nd() does the same.
	if (owner == asker || drb_load32(arp + DRB_ARP_SENDER_IP) == 0)
		return DRB_NEIGHBOUR_OTHER;
	address_back(plan, owner, frame);
	drb_store16(arp + DRB_ARP_OPERATION, DRB_ARP_REPLY);
	memcpy(sender_ip, arp + DRB_ARP_SENDER_IP, 4);
	memcpy(arp + DRB_ARP_SENDER_IP, arp + DRB_ARP_TARGET_IP, 4);
	memcpy(arp + DRB_ARP_TARGET_IP, sender_ip, 4);
	memcpy(arp + DRB_ARP_TARGET_MAC, arp + DRB_ARP_SENDER_MAC, 6);
	drb_addr_mac(plan, owner, arp + DRB_ARP_SENDER_MAC);
	return DRB_NEIGHBOUR_ARP;
}

// Internet checksum of an ICMPv6 message of len bytes with its pseudo header; 0 if the checksum
// field is right already.
static uint16_t icmpv6_checksum(const uint8_t *frame, uint32_t len)
{
	uint64_t addresses = drb_checksum_sum(frame + IP6 + DRB_IPV6_SRC, 32);
	uint64_t message = drb_checksum_sum(frame + ND, len);

	return (uint16_t)~drb_checksum_fold(addresses + message + len + DRB_PROTOCOL_ICMPV6);
}

static enum drb_neighbour answer_nd(const struct drb_addr_plan *plan, uint32_t asker,
				    uint8_t *frame, uint32_t *len, uint32_t room)
{
	static const uint8_t unspecified[16];
	uint8_t *ip = frame + IP6, *nd = frame + ND, *option = frame + ND_OPTION;
	uint32_t payload, owner;

	if (*len < ND)
		return DRB_NEIGHBOUR_BAD;
	payload = drb_load16(ip + DRB_IPV6_PAYLOAD);
	if (ip[DRB_IPV6_NEXT] != DRB_PROTOCOL_ICMPV6 || *len < ND + 1u ||
	    nd[0] != DRB_ICMPV6_SOLICITATION)
		return DRB_NEIGHBOUR_OTHER;
	if (payload < DRB_ND_LENGTH || ND + payload > *len ||
	    ip[DRB_IPV6_HOP_LIMIT] != DRB_ND_HOP_LIMIT || nd[DRB_ICMPV6_CODE] != 0 ||
	    icmpv6_checksum(frame, payload) != 0)
		return DRB_NEIGHBOUR_BAD;
	owner = drb_addr_of_ipv6(plan, nd + DRB_ND_TARGET);
	if (owner == DRB_NO_LABEL)
		return DRB_NEIGHBOUR_UNKNOWN;
	// A source of :: asks whether the address is free (duplicate address detection): its owner
	// answers, not the switch.
	if (owner == asker || memcmp(ip + DRB_IPV6_SRC, unspecified, 16) == 0)
		return DRB_NEIGHBOUR_OTHER;
	if (room < ND_OPTION + DRB_ND_OPTION_LENGTH)
		return DRB_NEIGHBOUR_BAD;
	address_back(plan, owner, frame);
	payload = DRB_ND_LENGTH + DRB_ND_OPTION_LENGTH;
	*len = ND + payload;
	drb_store16(ip + DRB_IPV6_PAYLOAD, (uint16_t)payload);
	memcpy(ip + DRB_IPV6_DST, ip + DRB_IPV6_SRC, 16);
	memcpy(ip + DRB_IPV6_SRC, nd + DRB_ND_TARGET, 16);
	nd[0] = DRB_ICMPV6_ADVERTISEMENT;
	memset(nd + DRB_ICMPV6_CHECKSUM, 0, DRB_ND_TARGET - DRB_ICMPV6_CHECKSUM);
	nd[DRB_ND_FLAGS] = DRB_ND_SOLICITED_OVERRIDE;
	option[0] = DRB_ND_OPTION_TARGET;
	option[1] = DRB_ND_OPTION_LENGTH / 8;
	drb_addr_mac(plan, owner, option + 2);
	drb_store16(nd + DRB_ICMPV6_CHECKSUM, icmpv6_checksum(frame, payload));
	return DRB_NEIGHBOUR_ND;
}

enum drb_neighbour drb_neighbour_answer(const struct drb_addr_plan *plan, uint32_t asker,
					uint8_t *frame, uint32_t *len, uint32_t room)
{
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);

	if (type == DRB_ETHERTYPE_ARP)
		return answer_arp(plan, asker, frame, len);
	if (type == DRB_ETHERTYPE_IPV6)
		return answer_nd(plan, asker, frame, len, room);
	return DRB_NEIGHBOUR_OTHER;
}
