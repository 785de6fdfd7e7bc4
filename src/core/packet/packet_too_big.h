// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reply to a host that sends longer packets than its path carries, so that it sends shorter ones (path
// MTU discovery): "fragmentation needed" of ICMP (RFC 1191) or "packet too big" of ICMPv6 (RFC 4443, 8201). A
// switch has no address of its own: it replies in the name of the destination, as tunnels of Linux do. Pure.

#include <stdint.h>

// Octets that an answer may have: 1280 of IPv6, an Ethernet header and two VLAN tags.
#define DRB_TOO_BIG_MAX (14 + 2 * 4 + 1280)

// Writes the answer to a frame, of which at least the first `len` octets are there, to `answer`, which has room for
// DRB_TOO_BIG_MAX octets. mtu: what IP packets may have. Returns its octets. 0: the frame asks for none, since it is
// not IP, may be cut into fragments on its way, is itself an error message or a later fragment, is for or from no
// single host, or is too short to tell.
uint32_t drb_packet_too_big(const uint8_t *frame, uint32_t len, uint32_t mtu, uint8_t *answer);
