// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which addresses a host may use: they follow from its label. This checks the source of IPv4 and IPv6, and
// what ARP and IPv6 neighbour discovery announce. Classification compares the source MAC. Pure; bounded work
// for any frame.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/addresses.h"
#include "core/packet/wire.h"

struct drb_source_rule {
	bool active;        // ARP and neighbour discovery are checked
	bool ip;            // as are IPv4 and IPv6
	uint32_t ipv4;      // as in a packet
	uint32_t ipv4_mask; // 0 unless ip
	uint8_t mac[6];
	uint8_t ipv6[16], link_local[16]; // the latter made of the MAC (RFC 4291, appendix A)
};

enum drb_source {
	DRB_SOURCE_OK,
	DRB_SOURCE_IP,        // an IP packet of another source
	DRB_SOURCE_NEIGHBOUR, // ARP or neighbour discovery that speaks for somebody else
	DRB_SOURCE_BAD,       // malformed, so that it cannot be told
	DRB_SOURCE_HELLO,     // of the EtherType of hellos: switches take it, whoever it is for
};

// The rule for a host.
struct drb_source_rule drb_source_rule_of(const struct drb_addr_plan *plan, uint32_t host, bool ip);

// frame: len >= DRB_ETHER_HEADER octets.
enum drb_source drb_source_check(const struct drb_source_rule *r, const uint8_t *frame,
				 uint32_t len);
