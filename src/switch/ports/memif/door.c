// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/door.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAITING_MAX 8 // clients that are not accepted yet

static int open_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int bind_for_us(int fd, const struct sockaddr_un *address)
{
	const mode_t mask = umask(0177);
	int rc = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;

	umask(mask);
	return rc;
}

// True if the socket at that address is left over: no process listens.
static bool is_left_behind(const struct sockaddr_un *address)
{
	int fd = open_socket();
	bool left = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
		    errno == ECONNREFUSED;

	close(fd);
	return left;
}

int drb_memif_door_open(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = open_socket();

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	int rc = bind_for_us(fd, &address);
	if (rc == -EADDRINUSE && is_left_behind(&address)) {
		unlink(path);
		rc = bind_for_us(fd, &address);
	}
	if (rc == 0 && listen(fd, WAITING_MAX) < 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}
