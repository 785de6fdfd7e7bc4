// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/say.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

ssize_t drb_memif_hear(int fd, struct drb_memif_message *message, int *passed)
{
	union control control;
	struct iovec part = {message, sizeof(*message)};
	// One descriptor: the kernel closes others.
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = CMSG_LEN(sizeof(int))};
	const ssize_t size = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const int error = size < 0 ? errno : 0;
	const struct cmsghdr *c = size < 0 ? NULL : CMSG_FIRSTHDR(&msg);

	*passed = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(passed, CMSG_DATA(c), sizeof(*passed));
	if (size == 0 && *passed >= 0) { // an empty message may bring one, too
		close(*passed);
		*passed = -1;
	}
	return size >= 0 ? size : error == EAGAIN || error == EINTR ? -1 : 0;
}

int drb_memif_say(int fd, const struct drb_memif_answer *answer)
{
	union control control = {0};
	struct iovec part = {(void *)(uintptr_t)&answer->message, sizeof(answer->message)};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	if (answer->fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &answer->fd, sizeof(int));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}
