// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/hello_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/packet/wire.h"

// Room for what comes in some seconds, as the kernel counts it.
#define ROOM (256 * 1024)

int drb_hello_socket_bind(int fd, unsigned interface)
{
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(DRB_ETHERTYPE_HELLO),
				       .sll_ifindex = (int)interface};

	return bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
}

int drb_hello_socket_open(const char *interface)
{
	const int room = ROOM;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	int rc = drb_hello_socket_bind(fd, if_nametoindex(interface));
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}
