// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Constants and offsets of the packet formats that programs of this project read or write. Offsets
// are in bytes: for Ethernet from the start of the frame, for every other header from its own
// start. Numbers are in host byte order. Programs inside the kernel use this header, too.

// Ethernet (IEEE 802.3), without VLAN tags.
enum {
	DRB_ETHER_DST = 0,
	DRB_ETHER_SRC = 6,
	DRB_ETHER_TYPE = 12,
	DRB_ETHER_HEADER = 14, // length
	DRB_VLAN_TAG = 4,      // length
};

enum {
	DRB_ETHERTYPE_IPV4 = 0x0800,
	DRB_ETHERTYPE_ARP = 0x0806,
	DRB_ETHERTYPE_VLAN = 0x8100, // 802.1Q
	DRB_ETHERTYPE_IPV6 = 0x86dd,
	DRB_ETHERTYPE_QINQ = 0x88a8,     // 802.1ad
	DRB_ETHERTYPE_QINQ_OLD = 0x9100, // before it was standardised
	// Hellos between neighbouring switches use IEEE 802's local experimental EtherType 1.
	DRB_ETHERTYPE_HELLO = 0x88b5,
};

// Bytes of an IP packet that a fabric may carry (fabric.mtu): the minimum that IPv6 asks of every
// link, and the usual size of jumbo frames. These are macros, not an enum, because keys.def turns
// them into text.
#define DRB_MTU_MIN 1280
#define DRB_MTU_MAX 9000

// IPv4 (RFC 791).
enum {
	DRB_IPV4_LENGTH = 2, // length of the packet
	DRB_IPV4_FRAGMENT = 6,
	DRB_IPV4_TTL = 8,
	DRB_IPV4_PROTOCOL = 9,
	DRB_IPV4_CHECKSUM = 10,
	DRB_IPV4_SRC = 12,
	DRB_IPV4_DST = 16,
	DRB_IPV4_HEADER = 20,     // length without options
	DRB_IPV4_PLAIN = 0x45,    // first byte of a header without options
	DRB_IPV4_MORE = 0x2000,   // fragment field: more fragments follow
	DRB_IPV4_DONT = 0x4000,   // do not fragment
	DRB_IPV4_OFFSET = 0x1fff, // position of the fragment
};

// IPv6 (RFC 8200).
enum {
	DRB_IPV6_PAYLOAD = 4, // length of the payload
	DRB_IPV6_NEXT = 6,
	DRB_IPV6_HOP_LIMIT = 7,
	DRB_IPV6_SRC = 8,
	DRB_IPV6_DST = 24,
	DRB_IPV6_HEADER = 40, // length
	// of a fragment header, from its third byte: position of the fragment
	DRB_IPV6_OFFSET = 0xfff8,
};

// IP protocols and IPv6 extension headers.
enum {
	DRB_PROTOCOL_HOP_BY_HOP = 0,
	DRB_PROTOCOL_ICMP = 1,
	DRB_PROTOCOL_TCP = 6,
	DRB_PROTOCOL_UDP = 17,
	DRB_PROTOCOL_DCCP = 33,
	DRB_PROTOCOL_ROUTING = 43,
	DRB_PROTOCOL_FRAGMENT = 44,
	DRB_PROTOCOL_AUTHENTICATION = 51,
	DRB_PROTOCOL_ICMPV6 = 58,
	DRB_PROTOCOL_NONE = 59,
	DRB_PROTOCOL_OPTIONS = 60, // destination options
	DRB_PROTOCOL_SCTP = 132,
	DRB_PROTOCOL_UDP_LITE = 136,
};

// UDP (RFC 768). The checksum of UDP-Lite and DCCP has the same position.
enum {
	DRB_UDP_SRC_PORT = 0,
	DRB_UDP_DST_PORT = 2,
	DRB_UDP_LENGTH = 4,
	DRB_UDP_CHECKSUM = 6,
	DRB_UDP_HEADER = 8, // length
};

// TCP (RFC 9293).
enum {
	DRB_TCP_FLAGS = 13,
	DRB_TCP_CHECKSUM = 16,
	DRB_TCP_HEADER = 20, // length without options
	// Flags that begin and end flows.
	DRB_TCP_FIN = 0x01,
	DRB_TCP_SYN = 0x02,
	DRB_TCP_RST = 0x04,
};

// SCTP (RFC 9260). Its checksum is a CRC32c.
enum { DRB_SCTP_CHECKSUM = 8 };

// ARP for IPv4 over Ethernet (RFC 826).
enum {
	DRB_ARP_LENGTHS = 4, // lengths of both kinds of addresses
	DRB_ARP_OPERATION = 6,
	DRB_ARP_SENDER_MAC = 8,
	DRB_ARP_SENDER_IP = 14,
	DRB_ARP_TARGET_MAC = 18,
	DRB_ARP_TARGET_IP = 24,
	DRB_ARP_LENGTH = 28,
	DRB_ARP_REQUEST = 1, // operations
	DRB_ARP_REPLY = 2,
};

// ICMP (RFC 792, 1191).
enum {
	DRB_ICMP_CODE = 1,
	DRB_ICMP_CHECKSUM = 2,
	DRB_ICMP_MTU = 6,         // MTU of the next hop, if fragmentation is needed
	DRB_ICMP_HEADER = 8,      // length; that of ICMPv6, too
	DRB_ICMP_UNREACHABLE = 3, // types of errors
	DRB_ICMP_QUENCH = 4,
	DRB_ICMP_REDIRECT = 5,
	DRB_ICMP_TIME_EXCEEDED = 11,
	DRB_ICMP_PARAMETER = 12,
	DRB_ICMP_FRAGMENTATION_NEEDED = 4, // code
};

// ICMPv6 (RFC 4443) and its neighbour discovery (RFC 4861).
enum {
	DRB_ICMPV6_CODE = 1,
	DRB_ICMPV6_CHECKSUM = 2,
	DRB_ND_FLAGS = 4,
	DRB_ND_TARGET = 8,
	DRB_ND_LENGTH = 24,             // without options
	DRB_ND_RS_LENGTH = 8,           // the same for a router solicitation
	DRB_ND_OPTION_LENGTH = 8,       // length of a link-layer address
	DRB_ICMPV6_TOO_BIG = 2,         // types
	DRB_ICMPV6_MTU = 4,             // position of the MTU in it
	DRB_ICMPV6_INFORMATIONAL = 128, // from here on types are no errors
	DRB_ICMPV6_ROUTER_SOLICITATION = 133,
	DRB_ICMPV6_ROUTER_ADVERTISEMENT = 134,
	DRB_ICMPV6_SOLICITATION = 135,
	DRB_ICMPV6_ADVERTISEMENT = 136,
	DRB_ICMPV6_REDIRECT = 137,
	DRB_ND_OPTION_SOURCE = 1,         // type of an option: link-layer address of the sender
	DRB_ND_OPTION_TARGET = 2,         // type of an option: link-layer address of the target
	DRB_ND_SOLICITED_OVERRIDE = 0x60, // flags of an advertisement
	DRB_ND_HOP_LIMIT = 255,           // never forwarded by a router
};
