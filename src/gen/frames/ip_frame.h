// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds addresses and checksums in frames of foreign captures, and replaces the addresses. Pure
// functions over byte buffers, which need not be valid.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

// An address of either family; unused bytes are 0, so that addresses can be compared by bytes.
struct ipframe_address {
	uint8_t bytes[16];
	uint8_t size; // 4 or 16
};

struct ipframe {
	struct ipframe_address src, dst;
	uint32_t ip;        // offset of the IP header
	uint32_t checksum;  // offset of a transport checksum that covers the addresses; 0: none
	uint32_t transport; // offset of the transport header; 0: none, as in later fragments
	uint8_t protocol;   // protocol of the transport header
	bool udp;           // a checksum of 0 means none
	bool tagged;        // carries VLAN tags
};

// Parses up to two VLAN tags (802.1Q, 802.1ad), the IP header and IPv6 extension headers. 0,
// -ENOMSG if the frame carries no IP, or -EBADMSG if it is too short for the headers that it
// announces.
int ipframe_parse(const uint8_t *frame, uint32_t captured, struct ipframe *f);

// Gives the frame the MAC and IP addresses of two hosts. IPv4 header checksum and transport
// checksum are updated incrementally: a right checksum stays right, and a wrong one stays wrong.
void ipframe_readdress(uint8_t *frame, const struct ipframe *f, const struct drb_addr_plan *plan,
		       uint32_t src, uint32_t dst);
