// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Addresses that a host may use; they follow from its label. This checks the source of IPv4 and
// IPv6 packets, and the addresses that ARP and IPv6 neighbour discovery announce. Classification
// compares the source MAC. Pure; the work is bounded for any frame.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/packet/wire.h"

struct drb_source_rule {
	bool active;        // check ARP and neighbour discovery
	bool ip;            // check IPv4 and IPv6, too
	uint32_t ipv4;      // network byte order
	uint32_t ipv4_mask; // 0 unless ip
	uint8_t mac[6];
	uint8_t ipv6[16], link_local[16]; // link_local is made of the MAC (RFC 4291, appendix A)
};

enum drb_source {
	DRB_SOURCE_OK,
	DRB_SOURCE_IP,        // an IP packet with another source address
	DRB_SOURCE_NEIGHBOUR, // ARP or neighbour discovery on behalf of another node
	DRB_SOURCE_BAD,       // malformed, so that it cannot be judged
	DRB_SOURCE_HELLO,     // EtherType of hellos: switches take it at any destination MAC
};

// The rule for a host. ip: check the source of IP packets as well.
struct drb_source_rule drb_source_rule_of(const struct drb_addr_plan *plan, uint32_t host, bool ip);

// frame: len >= DRB_ETHER_HEADER bytes.
enum drb_source drb_source_check(const struct drb_source_rule *r, const uint8_t *frame,
				 uint32_t len);
