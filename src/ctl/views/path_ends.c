// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/path_ends.h"

#include <arpa/inet.h>

#include "common/cli/log.h"
#include "core/fabric/names.h"
#include "core/packet/wire.h"

static uint32_t host_of(const char *text, const struct drb_tree *tree)
{
	uint32_t layer, host;

	if (drb_node_parse(text, &layer, &host) < 0 || layer > 0)
		drb_die("'%s' is not a host: must be h<label>, like h4", text);
	if (host >= tree->hosts)
		drb_die("'%s': F(%u,%u) has hosts h0 to h%u", text, tree->layers, tree->arity,
			tree->hosts - 1);
	return host;
}

void path_ends_resolve(struct path_ends *e, const struct drb_switch_info *info)
{
	const struct drb_tree tree = drb_info_tree(info);

	e->from = host_of(e->host[0], &tree);
	e->to = host_of(e->host[1], &tree);
	if (e->from == e->to)
		drb_die("no path from %s to itself leads over switches", e->host[0]);
	e->plan = drb_info_addresses(info);
	if (e->ipv4 && drb_addr_set_ipv4(&e->plan, e->ipv4) < 0)
		drb_die("--ipv4 %s: hosts need " DRB_ADDR_IPV4_FORM, e->ipv4);
	if (e->ipv6 && drb_addr_set_ipv6(&e->plan, e->ipv6) < 0)
		drb_die("--ipv6 %s: hosts need " DRB_ADDR_IPV6_FORM, e->ipv6);
}

void path_ends_address(const struct path_ends *e, uint32_t host, bool ipv6,
		       char text[INET6_ADDRSTRLEN])
{
	const uint32_t four = htonl(drb_addr_ipv4(&e->plan, host));
	uint8_t six[16];

	drb_addr_ipv6(&e->plan, host, six);
	if (ipv6)
		inet_ntop(AF_INET6, six, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET, &four, text, INET6_ADDRSTRLEN);
}

const char *path_ends_as_ipv6(const struct path_ends *e)
{
	return e->flow.protocol == DRB_PROTOCOL_ICMP ? "icmpv6 -6" : "-6";
}

#define AT(field) offsetof(struct path_ends, field)

const struct drb_option path_ends_options[] = {
	{NULL, "FROM TO [FLOW]", NULL, .kind = DRB_OPTION_REST, AT(words)},
	{"-6", NULL, "The flow is of IPv6", .kind = DRB_OPTION_FLAG, AT(flow.ipv6)},
	{"--ipv4", "NET", "IPv4 network of the hosts (default: that of the fabric)",
	 .kind = DRB_OPTION_TEXT, AT(ipv4)},
	{"--ipv6", "NET", "IPv6 network of the hosts (default: that of the fabric)",
	 .kind = DRB_OPTION_TEXT, AT(ipv6)},
	{0},
};

void path_ends_complete(void *ends)
{
	struct path_ends *e = ends;

	if (e->words.count < 2)
		drb_die("two hosts are wanted, like h4 h10");
	if (e->words.count > 3)
		drb_die("'%s' is one argument too many", e->words.at[3]);
	e->host[0] = e->words.at[0];
	e->host[1] = e->words.at[1];
	if (e->words.count == 3)
		path_flow_parse(e->words.at[2], &e->flow);
}
