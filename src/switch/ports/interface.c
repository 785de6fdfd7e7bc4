// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/interface.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/config/complaint.h"
#include "common/config/config.h"
#include "switch/ports/port.h"

// Returns a socket for ioctl(). The process keeps it, because pollers ask about every port once a
// second.
static int asking_socket(void)
{
	static atomic_int kept = -1;
	int fd = atomic_load(&kept), none = -1;

	if (fd >= 0)
		return fd;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); // any family will do
	if (fd >= 0 && !atomic_compare_exchange_strong(&kept, &none, fd)) {
		close(fd);
		fd = none;
	}
	return fd;
}

// False if there is no such interface, or it does not support the request.
static bool interface_ask(unsigned long what, const char *interface, struct ifreq *answer)
{
	snprintf(answer->ifr_name, sizeof(answer->ifr_name), "%s", interface);
	return ioctl(asking_socket(), what, answer) == 0;
}

unsigned drb_interface_index(const char *interface)
{
	struct ifreq r = {0};

	return interface_ask(SIOCGIFINDEX, interface, &r) ? (unsigned)r.ifr_ifindex : 0;
}

bool drb_interface_ethtool(const char *interface, void *command)
{
	struct ifreq r = {.ifr_data = command};

	return interface_ask(SIOCETHTOOL, interface, &r);
}

uint32_t drb_interface_mtu(const char *interface)
{
	struct ifreq r = {0};

	return interface_ask(SIOCGIFMTU, interface, &r) ? (uint32_t)r.ifr_mtu : 0;
}

int drb_interface_check(const char *path, const struct drb_port_setup *p)
{
	if (drb_interface_index(p->interface) > 0)
		return 0;
	return drb_config_bad_port(path, p, "interface",
				   "port %s: no interface \"%s\" in this network namespace",
				   p->name, p->interface);
}

bool drb_interface_port_carrier(const struct drb_port *port)
{
	const int up = IFF_UP | IFF_RUNNING;
	struct ifreq r = {0};

	return port->kind->interface->is_bound(port) &&
	       interface_ask(SIOCGIFFLAGS, port->setup->interface, &r) && (r.ifr_flags & up) == up;
}

bool drb_interface_port_mac(const struct drb_port *port, uint8_t mac[6])
{
	struct ifreq r = {0};

	if (!interface_ask(SIOCGIFHWADDR, port->setup->interface, &r) ||
	    r.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return false;
	memcpy(mac, r.ifr_hwaddr.sa_data, 6);
	return true;
}

uint16_t drb_interface_port_mtu(const struct drb_port *port)
{
	const uint32_t mtu = drb_interface_mtu(port->setup->interface);

	return mtu <= UINT16_MAX ? (uint16_t)mtu : 0;
}

// Reads the carrier by ethtool. The kernel sets IFF_RUNNING up to a second later.
const char *drb_interface_port_state(const struct drb_port *port)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
	struct ifreq r = {0};
	const char *interface = port->setup->interface;

	if (!port->kind->interface->is_bound(port) || !interface_ask(SIOCGIFFLAGS, interface, &r) ||
	    !drb_interface_ethtool(interface, &link))
		return "gone";
	return (r.ifr_flags & IFF_UP) && link.data ? "up" : "down";
}

int drb_interface_promiscuous(int fd, unsigned interface)
{
	const struct packet_mreq all = {.mr_ifindex = (int)interface, .mr_type = PACKET_MR_PROMISC};

	return setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ? -errno
											: 0;
}

bool drb_kernel_at_least(unsigned major, unsigned minor)
{
	struct utsname kernel;
	unsigned is[2];

	return uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &is[0], &is[1]) == 2 &&
	       (is[0] > major || (is[0] == major && is[1] >= minor));
}

int drb_interfaces_watch(void)
{
	struct sockaddr_nl links = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&links, sizeof(links)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool drb_interfaces_changed(int fd)
{
	bool any = false;
	char message;

	// The content of messages does not matter. ENOBUFS: the kernel has dropped some.
	while (recv(fd, &message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		any = true;
	return any;
}
