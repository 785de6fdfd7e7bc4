// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/passing.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int drb_pass(int socket, const void *message, size_t length, int passed, int flags)
{
	union control control = {0};
	struct iovec part = {(void *)(uintptr_t)message, length};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (passed >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &passed, sizeof(int));
	}
	return sendmsg(socket, &m, MSG_NOSIGNAL | flags) < 0 ? -errno : 0;
}

ssize_t drb_take_passed(int socket, void *message, size_t size, int *passed, int flags)
{
	union control control;
	struct iovec part = {message, size};
	// The buffer has space for one descriptor; the kernel closes all others.
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = CMSG_LEN(sizeof(int))};
	ssize_t length;

	*passed = -1;
	do
		length = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | flags);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(passed, CMSG_DATA(c), sizeof(*passed));
	if (length == 0 && *passed >= 0) { // an empty message may carry a descriptor, too
		close(*passed);
		*passed = -1;
	}
	return length;
}
