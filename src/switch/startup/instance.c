// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/log.h"
#include "common/telemetry/telemetry_client.h"

static char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];

// DPDK removes its sockets at exit, in a handler registered after this one and so run before it.
static void remove_dir(void)
{
	rmdir(dir);
}

// A descriptor of dir with the lock on it, or -errno. -EBUSY: a running switch has the lock.
// -EAGAIN: somebody else removed the directory between our opening and locking it.
static int lock_dir(void)
{
	struct stat here, there;
	int fd, rc = 0;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno; // EWOULDBLOCK is EAGAIN
	else if (stat(dir, &there) < 0 || fstat(fd, &here) < 0 || here.st_ino != there.st_ino)
		rc = -EAGAIN;
	else if (access(dir, W_OK) < 0 || fchmod(fd, 0700) < 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int drb_instance_claim(const char *instance)
{
	const char *runtime = drb_telemetry_runtime();
	int fd;

	if ((size_t)snprintf(dir, sizeof(dir), "%s/dpdk", runtime) >= sizeof(dir) ||
	    snprintf(dir, sizeof(dir), "%s/dpdk/%s", runtime, instance) +
			    sizeof("/" DRB_TELEMETRY_SOCKET) >
		    sizeof(dir)) {
		drb_error("%s/dpdk/%s is too long for a stats socket in it", runtime, instance);
		return -ENAMETOOLONG;
	}
	// EAL would make the same directories with the same rights.
	*strrchr(dir, '/') = '\0';
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		drb_error("cannot make %s for the stats socket: %s", dir, strerror(errno));
		return -errno;
	}
	snprintf(dir, sizeof(dir), "%s/dpdk/%s", runtime, instance);
	do {
		fd = lock_dir();
	} while (fd == -EAGAIN);
	if (fd == -EBUSY)
		drb_error("a switch %s is running already (it holds %s)", instance, dir);
	else if (fd < 0)
		drb_error("cannot use %s for the stats socket: %s", dir, strerror(-fd));
	else
		atexit(remove_dir);
	return fd < 0 ? fd : 0; // the descriptor stays open, and the lock held, to the end
}
