// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/capture/packet_line.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "core/packet/flow_key.h"
#include "ctl/capture/protocols.h"

#define END_MAX (INET6_ADDRSTRLEN + sizeof(".65535"))

// An end of a packet.
struct end {
	const uint8_t *mac, *address;
	uint16_t port; // network byte order; 0: none
};

// family: AF_INET or AF_INET6; AF_UNSPEC: there is no IP address.
static void name_end(char text[END_MAX], const struct end *end, int family,
		     const struct drb_addr_plan *plan)
{
	const uint8_t *m = end->mac;
	int used;

	if (drb_addr_has_label(plan, m)) {
		used = snprintf(text, END_MAX, "h%u", drb_addr_label_octets(m));
	} else if (family != AF_UNSPEC) {
		inet_ntop(family, end->address, text, END_MAX);
		used = (int)strlen(text);
	} else {
		used = snprintf(text, END_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2],
				m[3], m[4], m[5]);
	}
	if (end->port)
		snprintf(text + used, END_MAX - (size_t)used, ".%u", ntohs(end->port));
}

static void name_protocol(char *text, size_t size, const struct drb_flow_key *key, int family)
{
	const char *name = ctl_protocol_name(key->protocol);
	const uint16_t type = ntohs(key->ethertype);

	if (type == DRB_ETHERTYPE_ARP)
		snprintf(text, size, "arp");
	else if (type == DRB_ETHERTYPE_HELLO)
		snprintf(text, size, "hello");
	else if (family == AF_UNSPEC)
		snprintf(text, size, "type %04x", type);
	else if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "protocol %u", key->protocol);
}

static int family_of(const struct drb_flow_key *key)
{
	if (key->protocol == 0) // the frame cannot be read as IP
		return AF_UNSPEC;
	return key->ethertype == htons(DRB_ETHERTYPE_IPV4) ? AF_INET : AF_INET6;
}

void packet_line(char text[PACKET_LINE_MAX], const uint8_t *frame, uint32_t captured,
		 const struct drb_addr_plan *plan)
{
	char from[END_MAX], to[END_MAX], protocol[16];
	struct drb_flow_key key;

	*text = '\0';
	if (captured < DRB_ETHER_HEADER)
		return;
	drb_flow_key_of(frame, captured, &key);
	const int family = family_of(&key);
	name_end(from, &(struct end){frame + DRB_ETHER_SRC, key.src, key.src_port}, family, plan);
	name_end(to, &(struct end){frame, key.dst, key.dst_port}, family, plan);
	name_protocol(protocol, sizeof(protocol), &key, family);
	snprintf(text, PACKET_LINE_MAX, "%s > %s %s", from, to, protocol);
}
