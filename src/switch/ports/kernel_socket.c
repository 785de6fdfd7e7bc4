// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/kernel_socket.h"

#include <dirent.h>
#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "switch/ports/if_xdp.h"

// The domain of a descriptor if it is a socket, else -1.
static int domain_of(int fd)
{
	int domain;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 ? domain : -1;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

struct drb_kernel_sockets drb_kernel_sockets(void)
{
	struct drb_kernel_sockets all = {0};
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && all.count < DRB_KERNEL_SOCKETS_MAX && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);
		int domain = entry->d_name[0] == '.' ? -1 : domain_of(fd);
		if (domain == AF_PACKET || domain == AF_XDP)
			all.fd[all.count++] = fd;
	}
	if (dir)
		closedir(dir);
	qsort(all.fd, all.count, sizeof(all.fd[0]), compare);
	return all;
}

struct drb_kernel_sockets drb_kernel_sockets_since(const struct drb_kernel_sockets *before)
{
	struct drb_kernel_sockets all = drb_kernel_sockets(), opened = {0};

	for (uint32_t i = 0; i < all.count; i++) {
		if (!bsearch(&all.fd[i], before->fd, before->count, sizeof(int), compare))
			opened.fd[opened.count++] = all.fd[i];
	}
	return opened;
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
