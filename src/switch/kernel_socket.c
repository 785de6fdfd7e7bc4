// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_socket.h"

#include <dirent.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

// The domain of a descriptor if it is a socket, else -1.
static int domain_of(int fd)
{
	int domain;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 ? domain : -1;
}

static bool is_known(int fd, const struct drb_kernel_socket known[], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (known[i].fd == fd)
			return true;
	}
	return false;
}

struct drb_kernel_socket drb_kernel_socket_new(const struct drb_kernel_socket known[],
					       uint32_t count)
{
	struct drb_kernel_socket found = {.fd = -1};
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && found.fd < 0 && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);
		int domain = entry->d_name[0] == '.' ? -1 : domain_of(fd);
		if ((domain == AF_PACKET || domain == AF_XDP) && !is_known(fd, known, count))
			found.fd = fd;
	}
	if (dir)
		closedir(dir);
	return found;
}

void drb_kernel_socket_count(struct drb_kernel_socket *s)
{
	struct tpacket_stats packet;
	struct xdp_statistics xdp = {0};
	socklen_t len = sizeof(packet);

	if (s->fd < 0)
		return;
	// Reading clears it.
	if (getsockopt(s->fd, SOL_PACKET, PACKET_STATISTICS, &packet, &len) == 0) {
		s->missed += packet.tp_drops;
		return;
	}
	len = sizeof(xdp);
	if (getsockopt(s->fd, SOL_XDP, XDP_STATISTICS, &xdp, &len) == 0)
		s->missed = xdp.rx_dropped + xdp.rx_ring_full + xdp.rx_fill_ring_empty_descs;
}
