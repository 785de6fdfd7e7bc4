// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Host label <-> MAC, IPv4 and IPv6 address. Transit switches forward by destination MAC alone.
//   label h <-> 02:00:hh:hh:hh:hh <-> 10.0.0.0 + h + 1 <-> fd00:: + h + 1   (bases configurable)

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DRB_NO_LABEL UINT32_MAX

struct drb_addr_plan {
	uint8_t mac[2];    // first two bytes of every label MAC
	uint32_t ipv4;     // network address, host byte order
	uint32_t ipv4_len; // prefix length
	uint8_t ipv6[16];  // network address
	uint32_t ipv6_len; // prefix length
	uint32_t hosts;    // N: labels run from 0 to N-1
};

// Texts for messages: the networks that drb_addr_set_ipv4() and drb_addr_set_ipv6() accept.
#define DRB_ADDR_IPV4_FORM "a unicast network such as 10.0.0.0/8, not loopback or link-local"
#define DRB_ADDR_IPV6_FORM "a unicast network such as fd00::/64, not loopback or link-local"

// The default plan: 02:00, 10.0.0.0/8, fd00::/64.
struct drb_addr_plan drb_addr_default(uint32_t hosts);
// These parse "10.0.0.0/8", "fd00::/64" and "02:00" into the plan. -EINVAL if the text is
// malformed, if bits outside the prefix are set, or if hosts cannot talk from such addresses:
// multicast, loopback, link-local, unspecified.
int drb_addr_set_ipv4(struct drb_addr_plan *plan, const char *text);
int drb_addr_set_ipv6(struct drb_addr_plan *plan, const char *text);
int drb_addr_set_mac(struct drb_addr_plan *plan, const char *text);

// The texts that these functions parse.
struct drb_addr_texts {
	char mac[sizeof("02:00")], ipv4[sizeof("255.255.255.255/32")], ipv6[50];
};
struct drb_addr_texts drb_addr_texts(const struct drb_addr_plan *plan);
// True if every label has an address of each kind inside the prefixes.
bool drb_addr_fits(const struct drb_addr_plan *plan);

static inline void drb_addr_mac(const struct drb_addr_plan *plan, uint32_t host, uint8_t mac[6])
{
	mac[0] = plan->mac[0];
	mac[1] = plan->mac[1];
	mac[2] = (uint8_t)(host >> 24);
	mac[3] = (uint8_t)(host >> 16);
	mac[4] = (uint8_t)(host >> 8);
	mac[5] = (uint8_t)host;
}

// The label in the last four bytes of a MAC.
static inline uint32_t drb_addr_label_octets(const uint8_t mac[6])
{
	uint32_t label;

	memcpy(&label, mac + 2, sizeof(label));
	return be32toh(label);
}

// The label of the host with this MAC; DRB_NO_LABEL if no host of this fabric has it.
static inline uint32_t drb_addr_of_mac(const struct drb_addr_plan *plan, const uint8_t mac[6])
{
	uint16_t prefix, ours;
	uint32_t host = drb_addr_label_octets(mac);

	memcpy(&ours, plan->mac, sizeof(ours));
	memcpy(&prefix, mac, sizeof(prefix));
	return prefix == ours && host < plan->hosts ? host : DRB_NO_LABEL;
}

// True if the MAC belongs to a host. Its second byte is ignored because it may carry a mark.
static inline bool drb_addr_has_label(const struct drb_addr_plan *plan, const uint8_t mac[6])
{
	return mac[0] == plan->mac[0] && drb_addr_label_octets(mac) < plan->hosts;
}

// The detour mark in a destination MAC (core/routing/detour.h): its second byte xor the fabric's
// own. 0 if there is no mark, or if the MAC belongs to no host even without its mark.
static inline uint8_t drb_addr_mark(const struct drb_addr_plan *plan, const uint8_t mac[6])
{
	bool ours = mac[0] == plan->mac[0] && drb_addr_label_octets(mac) < plan->hosts;

	return ours ? mac[1] ^ plan->mac[1] : 0;
}

// IPv4 addresses are in host byte order.
static inline uint32_t drb_addr_ipv4(const struct drb_addr_plan *plan, uint32_t host)
{
	return plan->ipv4 + host + 1;
}

static inline uint32_t drb_addr_of_ipv4(const struct drb_addr_plan *plan, uint32_t addr)
{
	uint32_t host = addr - plan->ipv4 - 1;
	return host < plan->hosts ? host : DRB_NO_LABEL;
}

void drb_addr_ipv6(const struct drb_addr_plan *plan, uint32_t host, uint8_t addr[16]);
uint32_t drb_addr_of_ipv6(const struct drb_addr_plan *plan, const uint8_t addr[16]);
