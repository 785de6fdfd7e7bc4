// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "common/cli/user.h"
#include "common/telemetry/telemetry_client.h"

// A killed switch has its lock until the kernel has taken it apart.
#define DYING_NS UINT64_C(1000000000)

static char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];

// DPDK removes its sockets at exit, in a handler registered after this one and so run before it. Once there
// is a broker, it does this.
static void remove_dir(void)
{
	rmdir(dir);
}

// Whom the switch becomes: the directory of an instance is that user's.
static uid_t owner(void)
{
	struct drb_user user;

	return drb_user_find(&user) ? user.uid : geteuid();
}

// A directory that is there or is made: its descriptor, or -errno. -ELOOP: it is something else, such
// as a link that leads elsewhere. -EPERM: other users may change what is in it.
static int open_dir(const char *path)
{
	struct stat st;
	int rc = 0;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOTDIR ? -ELOOP : -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if ((st.st_uid != geteuid() && st.st_uid != 0 && st.st_uid != owner()) ||
		 (st.st_mode & (S_IWGRP | S_IWOTH)))
		rc = -EPERM;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

// A descriptor of dir with the lock on it, or -errno. -EBUSY: a running switch has the lock.
// -EAGAIN: somebody else removed the directory between our opening and locking it.
static int lock_dir(void)
{
	struct stat here, there;
	int rc = 0, fd = open_dir(dir);

	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno; // EWOULDBLOCK is EAGAIN
	else if (lstat(dir, &there) < 0 || fstat(fd, &here) < 0 || here.st_ino != there.st_ino)
		rc = -EAGAIN;
	else if (access(dir, W_OK) < 0 || fchmod(fd, 0700) < 0 || fchown(fd, owner(), -1) < 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static int wait_for_lock(void)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	const uint64_t end = drb_clock_now() + DYING_NS;
	int fd;

	while ((fd = lock_dir()) == -EAGAIN || (fd == -EBUSY && drb_clock_now() < end)) {
		if (fd == -EBUSY)
			nanosleep(&pause, NULL);
	}
	return fd;
}

static const char *why_not(int error)
{
	switch (error) {
	case -ELOOP:
		return "it is no directory; links are not followed";
	case -EPERM:
		return "another user owns it or may write to it: chown it to root, mode 0755";
	default:
		return strerror(-error);
	}
}

// The directory of all instances. Another user than root must pass through it, and `drbctl serve`, as that
// user, reads it; what is in it nobody else may enter.
static int make_parent(void)
{
	char *end = strrchr(dir, '/');
	struct stat st;

	*end = '\0';
	int fd = open_dir(dir);
	if (fd < 0)
		drb_error("cannot %s %s for the stats socket: %s", fd == -ENOENT ? "make" : "use",
			  dir, why_not(fd));
	else if (fstat(fd, &st) == 0 && st.st_uid != owner())
		(void)fchmod(fd, (st.st_mode & 07777) | 0055);
	if (fd >= 0)
		close(fd);
	*end = '/';
	return fd < 0 ? fd : 0;
}

int drb_instance_claim(const char *instance, const char **folder)
{
	const char *runtime = drb_telemetry_runtime();

	if ((size_t)snprintf(dir, sizeof(dir), "%s/dpdk/%s", runtime, instance) +
		    sizeof("/" DRB_TELEMETRY_SOCKET) >
	    sizeof(dir)) {
		drb_error("%s/dpdk/%s is too long for a stats socket in it", runtime, instance);
		return -ENAMETOOLONG;
	}
	int rc = make_parent();
	if (rc < 0)
		return rc;
	int fd = wait_for_lock();
	if (fd == -EBUSY)
		drb_error("a switch %s is running already (it holds %s)", instance, dir);
	else if (fd < 0)
		drb_error("cannot use %s for the stats socket: %s", dir, why_not(fd));
	else
		atexit(remove_dir);
	*folder = dir;
	return fd; // the descriptor stays open, and the lock held, to the end
}
