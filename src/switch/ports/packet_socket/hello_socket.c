// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/hello_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
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

void drb_hello_socket_spare(int ring_fd)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, DRB_ETHER_TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DRB_ETHERTYPE_HELLO, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]),
					   .filter = steps};

	(void)setsockopt(ring_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}
