// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/carrier.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The carrier, not IFF_RUNNING, which the kernel sets up to a second later.
const char *drb_carrier_state(const char *interface)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
	struct ifreq flags = {0}, carrier = {.ifr_data = (void *)&link};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const char *state = "gone";

	snprintf(flags.ifr_name, sizeof(flags.ifr_name), "%s", interface);
	snprintf(carrier.ifr_name, sizeof(carrier.ifr_name), "%s", interface);
	if (fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &flags) == 0 &&
	    ioctl(fd, SIOCETHTOOL, &carrier) == 0)
		state = (flags.ifr_flags & IFF_UP) && link.data ? "up" : "down";
	if (fd >= 0)
		close(fd);
	return state;
}

bool drb_carrier_up(int fd, const char *interface)
{
	struct ifreq flags = {0};

	snprintf(flags.ifr_name, sizeof(flags.ifr_name), "%s", interface);
	return ioctl(fd, SIOCGIFFLAGS, &flags) == 0 && (flags.ifr_flags & IFF_UP) &&
	       (flags.ifr_flags & IFF_RUNNING);
}
