// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/path_flow.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "core/packet/bytes.h"
#include "core/packet/flow_key.h"
#include "core/packet/wire.h"
#include "ctl/capture/protocols.h"

static bool parse_protocol(const char *text, uint8_t *protocol)
{
	uint32_t number;

	if (ctl_protocol_number(text, protocol))
		return true;
	if (drb_parse_u32(text, 0, UINT8_MAX, &number) < 0)
		return false;
	*protocol = (uint8_t)number;
	return true;
}

void path_flow_parse(const char *text, struct path_flow *f)
{
	char copy[64], *rest = copy;
	uint32_t port[2] = {0};
	bool ports = false;

	snprintf(copy, sizeof(copy), "%s", text);
	const char *protocol = strsep(&rest, ":");
	bool ok = strlen(text) < sizeof(copy) && parse_protocol(protocol, &f->protocol);
	if (ok && rest) {
		const char *from = strsep(&rest, ":");
		ports = rest && drb_parse_u32(from, 0, UINT16_MAX, &port[0]) == 0 &&
			drb_parse_u32(rest, 0, UINT16_MAX, &port[1]) == 0;
		ok = ports;
	}
	if (!ok || ports != drb_flow_has_ports[f->protocol])
		drb_die("'%s' is not a flow: want PROTOCOL:FROM-PORT:TO-PORT, such as "
			"tcp:40000:5201, or a protocol without ports, such as icmp",
			text);
	f->given = true;
	f->from = (uint16_t)port[0];
	f->to = (uint16_t)port[1];
}

uint64_t path_flow_hash(const struct path_flow *f, const struct drb_addr_plan *plan, uint32_t from,
			uint32_t to)
{
	struct drb_flow_key key = {
		.ethertype = htons(f->ipv6 ? DRB_ETHERTYPE_IPV6 : DRB_ETHERTYPE_IPV4),
		.protocol = f->protocol,
		.src_port = htons(f->from),
		.dst_port = htons(f->to),
	};

	if (f->ipv6) {
		drb_addr_ipv6(plan, from, key.src);
		drb_addr_ipv6(plan, to, key.dst);
	} else {
		drb_store32(key.src, drb_addr_ipv4(plan, from));
		drb_store32(key.dst, drb_addr_ipv4(plan, to));
	}
	return drb_flow_hash(&key);
}
