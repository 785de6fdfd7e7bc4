// SPDX-License-Identifier: BSD-3-Clause
#include "plan/topo.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

#define AT(field) offsetof(struct topo, field)

const struct drb_option topo_options[] = {
	{"--layers", "L", "Layers of the fat-tree F(l,d) (default " TEXT_OF(DRB_LAYERS_DEFAULT) ")",
	 .kind = DRB_OPTION_TEXT, AT(layers), .letter = 'l'},
	{"--arity", "D", "Arity: switches have 2d ports (default " TEXT_OF(DRB_ARITY_DEFAULT) ")",
	 .kind = DRB_OPTION_TEXT, AT(arity), .letter = 'd'},
	{"--uplinks", "U",
	 "Uplinks of a layer-1 switch (default D); fewer make the fat-tree oversubscribed",
	 .kind = DRB_OPTION_TEXT, AT(uplinks)},
	{"--fabric", "NAME", "Name of the fabric (default " DRB_FABRIC_DEFAULT ")",
	 .kind = DRB_OPTION_TEXT, AT(fabric), .letter = 'f'},
	{"--ipv4", "NET/LEN", "IPv4 network of the hosts (default 10.0.0.0/8)",
	 .kind = DRB_OPTION_TEXT, AT(ipv4)},
	{"--ipv6", "NET/LEN", "IPv6 network of the hosts (default fd00::/64)",
	 .kind = DRB_OPTION_TEXT, AT(ipv6)},
	{"--mac", "XX:XX", "First two bytes of hosts' MACs (default 02:00)",
	 .kind = DRB_OPTION_TEXT, AT(mac)},
	{0},
};

static void complete_tree(struct topo *topo)
{
	uint32_t l = drb_option_u32("--layers", topo->layers, 1, DRB_LAYERS_MAX);
	uint32_t d = drb_option_u32("--arity", topo->arity, 1, DRB_ARITY_MAX);
	uint32_t u =
		topo->uplinks ? drb_option_u32("--uplinks", topo->uplinks, 1, DRB_ARITY_MAX) : d;

	if (u > d || (l == 1 && u != d))
		drb_die("--uplinks %u: a switch of layer 1 of F(%u,%u) has %s", u, l, d,
			l == 1 ? "none" : "at most as many as down-ports");
	if (drb_tree_init_uplinks(&topo->tree, l, d, u) < 0)
		drb_die("F(%u,%u) has more than %u hosts: labels overflow, take a smaller -l or -d",
			l, d, DRB_HOSTS_MAX);
}

static void complete_addresses(struct topo *topo)
{
	struct drb_addr_plan *a = &topo->addresses;

	*a = drb_addr_default(topo->tree.hosts);
	if (topo->ipv4 && drb_addr_set_ipv4(a, topo->ipv4) < 0)
		drb_die("--ipv4 %s: hosts need " DRB_ADDR_IPV4_FORM, topo->ipv4);
	if (topo->ipv6 && drb_addr_set_ipv6(a, topo->ipv6) < 0)
		drb_die("--ipv6 %s: hosts need " DRB_ADDR_IPV6_FORM, topo->ipv6);
	if (topo->mac && drb_addr_set_mac(a, topo->mac) < 0)
		drb_die("--mac %s: must be two bytes of a unicast address, like 02:00", topo->mac);
	if (!drb_addr_fits(a))
		drb_die("%u hosts do not fit into /%u and /%u: take shorter prefixes by --ipv4 and "
			"--ipv6",
			topo->tree.hosts, a->ipv4_len, a->ipv6_len);
}

void topo_complete(void *input)
{
	struct topo *topo = input;

	topo->layers = topo->layers ? topo->layers : TEXT_OF(DRB_LAYERS_DEFAULT);
	topo->arity = topo->arity ? topo->arity : TEXT_OF(DRB_ARITY_DEFAULT);
	if (!topo->fabric)
		topo->fabric = DRB_FABRIC_DEFAULT;
	if (!drb_fabric_name_ok(topo->fabric))
		drb_die("--fabric '%s': must be at most %d letters, digits, '_', '.' and "
			"'-', the first a letter or digit",
			topo->fabric, DRB_FABRIC_MAX);
	complete_tree(topo);
	complete_addresses(topo);
}

bool topo_links_next(struct topo_links *w, struct topo_link *link)
{
	const struct drb_tree *t = w->tree;

	if (w->layer == t->layers)
		return false;
	link->lower = (struct drb_end){w->layer, w->label, w->port, true};
	if (w->layer == 0)
		link->upper = drb_tree_host_peer(t, w->label);
	else
		link->upper = drb_tree_up_peer(t, w->layer, w->label, w->port);

	uint32_t ports = w->layer == 0 ? 1 : drb_tree_up_ports(t, w->layer);
	uint32_t nodes = w->layer == 0 ? t->hosts : drb_tree_switches(t, w->layer);
	if (++w->port < ports)
		return true;
	w->port = 0;
	if (++w->label < nodes)
		return true;
	w->label = 0;
	w->layer++;
	return true;
}

void topo_mac(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host)
{
	uint8_t mac[6];

	drb_addr_mac(&topo->addresses, host, mac);
	snprintf(text, TOPO_ADDR_MAX, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
}

void topo_ipv4(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host)
{
	struct in_addr addr = {htonl(drb_addr_ipv4(&topo->addresses, host))};

	inet_ntop(AF_INET, &addr, text, TOPO_ADDR_MAX);
}

void topo_ipv6(char text[TOPO_ADDR_MAX], const struct topo *topo, uint32_t host)
{
	uint8_t addr[16];

	drb_addr_ipv6(&topo->addresses, host, addr);
	inet_ntop(AF_INET6, addr, text, TOPO_ADDR_MAX);
}
