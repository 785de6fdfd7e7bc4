// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// EtherTypes a switch takes part in, in host byte order.

#define DRB_ETHERTYPE_ARP 0x0806
#define DRB_ETHERTYPE_IPV6 0x86dd
// What neighbouring switches tell each other: IEEE 802's local experimental EtherType 1.
#define DRB_ETHERTYPE_HELLO 0x88b5
