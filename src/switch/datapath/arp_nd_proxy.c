// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/arp_nd_proxy.h"

#include <string.h>

enum {
	ETHER = 14, // bytes of the Ethernet header
	ARP_LEN = 28,
	IPV6_LEN = 40,
	ND_LEN = 24,       // solicitation or advertisement without options
	ND_OPTION_LEN = 8, // a link-layer address option
	ICMPV6 = 58,
	ICMPV6_SOLICITATION = 135,
	ICMPV6_ADVERTISEMENT = 136,
	OPTION_TARGET = 2,
};

// Where the fields stand in the frame.
enum {
	ARP_OPERATION = ETHER + 6,
	ARP_SENDER_MAC = ETHER + 8,
	ARP_SENDER_IP = ETHER + 14,
	ARP_TARGET_MAC = ETHER + 18,
	ARP_TARGET_IP = ETHER + 24,
	IP6_PAYLOAD_LEN = ETHER + 4,
	IP6_NEXT = ETHER + 6,
	IP6_HOPS = ETHER + 7,
	IP6_SRC = ETHER + 8,
	IP6_DST = ETHER + 24,
	ND = ETHER + IPV6_LEN,
	ND_CHECKSUM = ND + 2,
	ND_FLAGS = ND + 4,
	ND_TARGET = ND + 8,
	ND_OPTION = ND + ND_LEN,
};

static uint32_t read32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void address_back(const struct drb_addr_plan *plan, uint32_t owner, uint8_t *frame)
{
	memcpy(frame, frame + 6, 6);
	drb_addr_mac(plan, owner, frame + 6);
}

static enum drb_neighbour answer_arp(const struct drb_addr_plan *plan, uint32_t asker,
				     uint8_t *frame, uint32_t *len)
{
	static const uint8_t request[8] = {0, 1, 8, 0, 6, 4, 0, 1}; // Ethernet, IPv4, request
	uint8_t sender_ip[4];
	uint32_t owner;

	if (*len < ETHER + ARP_LEN)
		return DRB_NEIGHBOUR_BAD;
	if (memcmp(frame + ETHER, request, sizeof(request)) != 0)
		return DRB_NEIGHBOUR_OTHER;
	if (memcmp(frame + ARP_SENDER_MAC, frame + 6, 6) != 0)
		return DRB_NEIGHBOUR_SPOOFED;
	owner = drb_addr_of_ipv4(plan, read32(frame + ARP_TARGET_IP));
	if (owner == DRB_NO_LABEL)
		return DRB_NEIGHBOUR_UNKNOWN;
	// A sender of 0.0.0.0 asks whether the address is free (RFC 5227): its owner answers, not
	// the switch, as in answer_nd().
	if (owner == asker || read32(frame + ARP_SENDER_IP) == 0)
		return DRB_NEIGHBOUR_OTHER;
	address_back(plan, owner, frame);
	frame[ARP_OPERATION + 1] = 2;
	memcpy(sender_ip, frame + ARP_SENDER_IP, 4);
	memcpy(frame + ARP_SENDER_IP, frame + ARP_TARGET_IP, 4);
	memcpy(frame + ARP_TARGET_IP, sender_ip, 4);
	memcpy(frame + ARP_TARGET_MAC, frame + ARP_SENDER_MAC, 6);
	drb_addr_mac(plan, owner, frame + ARP_SENDER_MAC);
	return DRB_NEIGHBOUR_ARP;
}

// Internet checksum of an ICMPv6 message of len bytes with its pseudo header; 0 if the checksum
// field is right already.
static uint16_t icmpv6_checksum(const uint8_t *frame, uint32_t len)
{
	uint64_t sum = len + ICMPV6;

	for (uint32_t i = 0; i < 32; i += 2)
		sum += (uint32_t)(frame[IP6_SRC + i] << 8 | frame[IP6_SRC + i + 1]);
	for (uint32_t i = 0; i < len; i += 2)
		sum += (uint32_t)(frame[ND + i] << 8 | (i + 1 < len ? frame[ND + i + 1] : 0));
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static enum drb_neighbour answer_nd(const struct drb_addr_plan *plan, uint32_t asker,
				    uint8_t *frame, uint32_t *len, uint32_t room)
{
	static const uint8_t unspecified[16];
	uint32_t payload, owner;

	if (*len < ETHER + IPV6_LEN)
		return DRB_NEIGHBOUR_BAD;
	payload = (uint32_t)(frame[IP6_PAYLOAD_LEN] << 8 | frame[IP6_PAYLOAD_LEN + 1]);
	if (frame[IP6_NEXT] != ICMPV6 || *len < ND + 1u || frame[ND] != ICMPV6_SOLICITATION)
		return DRB_NEIGHBOUR_OTHER;
	if (payload < ND_LEN || ND + payload > *len || frame[IP6_HOPS] != 255 ||
	    frame[ND + 1] != 0 || icmpv6_checksum(frame, payload) != 0)
		return DRB_NEIGHBOUR_BAD;
	owner = drb_addr_of_ipv6(plan, frame + ND_TARGET);
	if (owner == DRB_NO_LABEL)
		return DRB_NEIGHBOUR_UNKNOWN;
	// A source of :: asks whether the address is free (duplicate address detection): its owner
	// answers, not the switch.
	if (owner == asker || memcmp(frame + IP6_SRC, unspecified, 16) == 0)
		return DRB_NEIGHBOUR_OTHER;
	if (room < ND_OPTION + ND_OPTION_LEN)
		return DRB_NEIGHBOUR_BAD;
	address_back(plan, owner, frame);
	payload = ND_LEN + ND_OPTION_LEN;
	*len = ND + payload;
	frame[IP6_PAYLOAD_LEN] = 0;
	frame[IP6_PAYLOAD_LEN + 1] = (uint8_t)payload;
	memcpy(frame + IP6_DST, frame + IP6_SRC, 16);
	memcpy(frame + IP6_SRC, frame + ND_TARGET, 16);
	frame[ND] = ICMPV6_ADVERTISEMENT;
	memset(frame + ND_CHECKSUM, 0, 6);
	frame[ND_FLAGS] = 0x60; // solicited, override
	frame[ND_OPTION] = OPTION_TARGET;
	frame[ND_OPTION + 1] = 1; // in units of 8 bytes
	drb_addr_mac(plan, owner, frame + ND_OPTION + 2);
	uint16_t checksum = icmpv6_checksum(frame, payload);
	frame[ND_CHECKSUM] = (uint8_t)(checksum >> 8);
	frame[ND_CHECKSUM + 1] = (uint8_t)checksum;
	return DRB_NEIGHBOUR_ND;
}

enum drb_neighbour drb_neighbour_answer(const struct drb_addr_plan *plan, uint32_t asker,
					uint8_t *frame, uint32_t *len, uint32_t room)
{
	uint16_t type = (uint16_t)(frame[12] << 8 | frame[13]);

	if (type == 0x0806)
		return answer_arp(plan, asker, frame, len);
	if (type == 0x86dd)
		return answer_nd(plan, asker, frame, len, room);
	return DRB_NEIGHBOUR_OTHER;
}
