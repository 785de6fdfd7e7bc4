// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frames of foreign captures: where their addresses and checksums are, and how to give them other
// addresses. Pure functions over byte buffers; they take any bytes.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"

// An address of either family; unused bytes are 0, so that bytes compare.
struct ipframe_address {
	uint8_t bytes[16];
	uint8_t size; // 4 or 16
};

struct ipframe {
	struct ipframe_address src, dst;
	uint32_t ip;       // offset of the IP header
	uint32_t checksum; // offset of a transport checksum that covers the addresses; 0: none
	uint32_t
		transport; // offset of the transport header; 0: there is none, as in later fragments
	uint8_t protocol;  // of it
	bool udp;          // for which 0 stands for no checksum
	bool tagged;       // carries VLAN tags
};

// 0; -ENOMSG if the frame carries no IP; -EBADMSG if it is too short for the headers it announces.
// Up to two VLAN tags (802.1Q, 802.1ad) and IPv6 extension headers are walked.
int ipframe_parse(const uint8_t *frame, uint32_t captured, struct ipframe *f);

// Gives the frame MAC and IP addresses of two hosts; IPv4 header checksum and transport checksum
// are updated incrementally, so that a checksum that was right stays right and a wrong one wrong.
void ipframe_readdress(uint8_t *frame, const struct ipframe *f, const struct drb_addr_plan *plan,
		       uint32_t src, uint32_t dst);
