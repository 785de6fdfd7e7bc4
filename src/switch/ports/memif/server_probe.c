// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/server_probe.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_WITHIN_MS 50

// A socket that is connected to the server listening at path, or -errno. Does not wait.
static int open_to(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	int rc = -errno;
	close(fd);
	return rc;
}

int drb_memif_probe(const char *path)
{
	int fd = open_to(path);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

bool drb_memif_server_answers(const char *path)
{
	struct pollfd server = {.fd = open_to(path), .events = POLLIN};

	if (server.fd < 0)
		return false;
	int n = poll(&server, 1, ANSWER_WITHIN_MS);
	close(server.fd);
	return n > 0 && (server.revents & POLLIN);
}
