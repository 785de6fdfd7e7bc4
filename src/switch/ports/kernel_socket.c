// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/kernel_socket.h"

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

// False if it is no AF_XDP socket. That the fill ring was empty is another count, of the kernel's
// attempts: a packet it cost is in rx_dropped.
static bool xdp_statistics(int fd, struct xdp_statistics *xdp)
{
	socklen_t len = sizeof(*xdp);

	*xdp = (struct xdp_statistics){0};
	return fd >= 0 && getsockopt(fd, SOL_XDP, XDP_STATISTICS, xdp, &len) == 0;
}

void drb_kernel_socket_count(struct drb_kernel_socket *s)
{
	struct tpacket_stats packet;
	struct xdp_statistics xdp;
	socklen_t len = sizeof(packet);

	if (s->fd < 0)
		return;
	// Reading clears it.
	if (getsockopt(s->fd, SOL_PACKET, PACKET_STATISTICS, &packet, &len) == 0)
		s->missed += packet.tp_drops;
	else if (xdp_statistics(s->fd, &xdp))
		s->missed = xdp.rx_dropped + xdp.rx_ring_full;
}

void drb_kernel_socket_xdp(const struct drb_kernel_socket *s, struct drb_xdp_counters *counts)
{
	struct xdp_statistics xdp;

	if (!xdp_statistics(s->fd, &xdp))
		return;
	counts->xdp_ring_full += xdp.rx_ring_full;
	counts->xdp_dropped += xdp.rx_dropped;
}
