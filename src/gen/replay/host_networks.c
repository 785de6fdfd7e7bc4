// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/host_networks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <string.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "gen/replay/hosts.h"

bool host_network_of(const uint8_t *address, const uint8_t *mask, uint32_t octets, uint32_t host,
		     char text[HOST_NETWORK_TEXT])
{
	uint8_t network[16];
	uint64_t below = 0;
	uint32_t length = 0;
	char name[INET6_ADDRSTRLEN];

	for (uint32_t i = 0; i < octets; i++) {
		network[i] = address[i] & mask[i];
		length += (uint32_t)__builtin_popcount(mask[i]);
		if (below >> 56)
			return false;
		below = below << 8 | (uint8_t)(address[i] & ~mask[i]);
	}
	if (below != (uint64_t)host + 1 ||
	    !inet_ntop(octets == 4 ? AF_INET : AF_INET6, network, name, sizeof(name)))
		return false;
	snprintf(text, HOST_NETWORK_TEXT, "%s/%u", name, length);
	return true;
}

static void take_mac(const struct sockaddr_ll *link, uint32_t host, struct host_networks *to)
{
	if (link->sll_halen == 6 && drb_addr_label_octets(link->sll_addr) == host)
		snprintf(to->mac, sizeof(to->mac), "%02x:%02x", link->sll_addr[0],
			 link->sll_addr[1]);
}

static void address_take(const struct ifaddrs *a, uint32_t host, struct host_networks *to)
{
	if (a->ifa_addr->sa_family == AF_PACKET) {
		take_mac((const void *)a->ifa_addr, host, to);
	} else if (a->ifa_addr->sa_family == AF_INET && a->ifa_netmask) {
		const struct sockaddr_in *is = (const void *)a->ifa_addr,
					 *mask = (const void *)a->ifa_netmask;
		host_network_of((const uint8_t *)&is->sin_addr, (const uint8_t *)&mask->sin_addr, 4,
				host, to->ipv4);
	} else if (a->ifa_addr->sa_family == AF_INET6 && a->ifa_netmask) {
		const struct sockaddr_in6 *is = (const void *)a->ifa_addr,
					  *mask = (const void *)a->ifa_netmask;
		if (!IN6_IS_ADDR_LINKLOCAL(&is->sin6_addr))
			host_network_of(is->sin6_addr.s6_addr, mask->sin6_addr.s6_addr, 16, host,
					to->ipv6);
	}
}

static int read_here(void *networks, uint32_t host)
{
	struct ifaddrs *all;

	if (getifaddrs(&all) < 0) {
		int rc = -errno;
		drb_error("h%u: cannot read its addresses: %s", host, strerror(errno));
		return rc;
	}
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		if (a->ifa_addr && strcmp(a->ifa_name, DRB_HOST_INTERFACE) == 0)
			address_take(a, host, networks);
	freeifaddrs(all);
	return 0;
}

int host_networks_read(const char *fabric, uint32_t host, struct host_networks *networks)
{
	*networks = (struct host_networks){0};
	return hosts_inside(fabric, host, read_here, networks);
}
