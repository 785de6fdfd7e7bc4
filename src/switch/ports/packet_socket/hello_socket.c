// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/hello_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/links/hello.h"
#include "core/packet/wire.h"
#include "switch/ports/port_kind.h"

// Room for what comes in some seconds, as the kernel counts it.
#define ROOM (256 * 1024)

int drb_hello_socket_bind(int fd, unsigned interface)
{
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(DRB_ETHERTYPE_HELLO),
				       .sll_ifindex = (int)interface};

	return bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ? -errno : 0;
}

int drb_hello_socket_open(unsigned interface)
{
	const int room = ROOM, on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	int rc = drb_hello_socket_bind(fd, interface);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

// Since the kernel took it. Nothing, where the clock was set back meanwhile.
static uint64_t ns_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	const int64_t ns =
		(int64_t)(now.tv_sec - then->tv_sec) * 1000000000 + now.tv_nsec - then->tv_nsec;
	return ns > 0 ? (uint64_t)ns : 0;
}

static uint64_t waited(const struct msghdr *message)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(message);
	struct timespec came;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
		return 0;
	memcpy(&came, CMSG_DATA(c), sizeof(came));
	return ns_since(&came);
}

uint32_t drb_hello_socket_read(int fd, struct drb_hello_frames *frames, uint32_t most)
{
	_Alignas(struct cmsghdr) char control[DRB_HELLOS_AT_ONCE]
					     [CMSG_SPACE(sizeof(struct timespec))];
	struct iovec part[DRB_HELLOS_AT_ONCE];
	struct mmsghdr message[DRB_HELLOS_AT_ONCE];

	for (uint32_t i = 0; i < most; i++) {
		part[i] = (struct iovec){frames->octets[i], sizeof(frames->octets[i])};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i],
						     .msg_iovlen = 1,
						     .msg_control = control[i],
						     .msg_controllen = sizeof(control[i])};
	}
	const int count = recvmmsg(fd, message, most, MSG_DONTWAIT, NULL);
	for (int i = 0; i < count; i++) {
		frames->of[i].length = message[i].msg_len;
		frames->of[i].waited_ns = waited(&message[i].msg_hdr);
	}
	return count > 0 ? (uint32_t)count : 0;
}

void drb_hello_socket_spare(int ring_fd)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, DRB_ETHER_TYPE),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DRB_ETHERTYPE_HELLO, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, drb_hello_flags_at),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, DRB_HELLO_NEWS, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	const struct sock_fprog program = {.len = sizeof(steps) / sizeof(steps[0]),
					   .filter = steps};

	(void)setsockopt(ring_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}
