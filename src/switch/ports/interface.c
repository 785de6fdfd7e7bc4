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
#include <unistd.h>

#include "common/config/complaint.h"
#include "common/config/config.h"

int drb_interface_check(const char *path, const struct drb_port_setup *p)
{
	if (if_nametoindex(p->interface) > 0)
		return 0;
	return drb_config_bad_port(path, p, "interface",
				   "port %s: no interface \"%s\" in this network namespace",
				   p->name, p->interface);
}

// A socket to ask the kernel by, kept for the process: pollers ask about every port once a second.
static int asking_socket(void)
{
	static atomic_int kept = -1;
	int fd = atomic_load(&kept), none = -1;

	if (fd >= 0)
		return fd;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !atomic_compare_exchange_strong(&kept, &none, fd)) {
		close(fd);
		fd = none;
	}
	return fd;
}

// The carrier, not IFF_RUNNING, which the kernel sets up to a second later.
const char *drb_interface_state(const char *interface)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
	struct ifreq flags = {0}, carrier = {.ifr_data = (void *)&link};
	const char *state = "gone";
	int fd = asking_socket();

	snprintf(flags.ifr_name, sizeof(flags.ifr_name), "%s", interface);
	snprintf(carrier.ifr_name, sizeof(carrier.ifr_name), "%s", interface);
	if (fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &flags) == 0 &&
	    ioctl(fd, SIOCETHTOOL, &carrier) == 0)
		state = (flags.ifr_flags & IFF_UP) && link.data ? "up" : "down";
	return state;
}

unsigned drb_interface_index(int fd, const char *interface)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	return ioctl(fd, SIOCGIFINDEX, &request) == 0 ? (unsigned)request.ifr_ifindex : 0;
}

bool drb_interface_up(int fd, const char *interface)
{
	struct ifreq flags = {0};

	snprintf(flags.ifr_name, sizeof(flags.ifr_name), "%s", interface);
	return ioctl(fd, SIOCGIFFLAGS, &flags) == 0 && (flags.ifr_flags & IFF_UP) &&
	       (flags.ifr_flags & IFF_RUNNING);
}

uint16_t drb_interface_mtu(int fd, const char *interface)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (ioctl(fd, SIOCGIFMTU, &request) < 0 || request.ifr_mtu > UINT16_MAX)
		return 0;
	return (uint16_t)request.ifr_mtu;
}

bool drb_interface_mac(int fd, const char *interface, uint8_t mac[6])
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
	if (ioctl(fd, SIOCGIFHWADDR, &request) < 0 || request.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return false;
	memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	return true;
}

int drb_interface_promiscuous(int fd, unsigned interface)
{
	const struct packet_mreq all = {.mr_ifindex = (int)interface, .mr_type = PACKET_MR_PROMISC};

	return setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ? -errno
											: 0;
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

	// What it says does not matter; ENOBUFS says that there was more.
	while (recv(fd, &message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		any = true;
	return any;
}
