// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reply to a host that sends longer packets than its path carries, so that it sends shorter
// ones (path MTU discovery). The reply is "fragmentation needed" of ICMP (RFC 1191) or "packet too
// big" of ICMPv6 (RFC 4443, 8201). A switch has no address of its own: it replies in the name of
// the destination, as tunnels of Linux do. Pure.

#include <stdint.h>

// The largest answer in bytes: 1280 of IPv6, an Ethernet header and two VLAN tags.
#define DRB_TOO_BIG_MAX (14 + 2 * 4 + 1280)

// Writes the answer to a frame and returns its length in bytes. len: number of the frame's first
// bytes that are present, perhaps not all. answer: has space for DRB_TOO_BIG_MAX bytes. mtu: the
// largest IP packet in bytes.
// Returns 0 if the frame must not be answered. Such a frame is not IP, may be fragmented, is an
// error message or a later fragment, is not between two single hosts, or is cut too short.
uint32_t drb_packet_too_big(const uint8_t *frame, uint32_t len, uint32_t mtu, uint8_t *answer);
