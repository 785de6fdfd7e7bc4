// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
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

// A killed switch holds its lock until the kernel has freed the process, which takes less than
// this.
#define DYING_NS UINT64_C(1000000000)

static char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];
// True if this process is root, and only root can make folders beside dir. If another user then
// owns dir, an earlier switch left it. At that time, the user drbswitch had another number: in a
// container, or before the package was installed again.
static bool takes_over;

// DPDK removes its sockets at exit, in a handler that is registered later and therefore runs before
// this one. Once the broker runs, it removes the directory instead.
static void remove_dir(void)
{
	rmdir(dir);
}

// Returns the user that the switch will run as, who owns the directory of the instance.
static uid_t owner(void)
{
	struct drb_user user;

	return drb_user_find(&user) ? user.uid : geteuid();
}

// Opens a directory, and makes it if it is missing. Returns a descriptor or -errno. -ELOOP: it is
// no directory but, for instance, a symbolic link. -EPERM: other users may change its contents.
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
	else if ((!takes_over && st.st_uid != geteuid() && st.st_uid != 0 &&
		  st.st_uid != owner()) ||
		 (st.st_mode & (S_IWGRP | S_IWOTH)))
		rc = -EPERM;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

// Gives the directory to the user of the switch, and lets only the group of operators in. Only its
// owner may change its mode: root has no CAP_FOWNER in containers. Returns -1 with errno set if
// this fails.
static int hand_over(int fd, gid_t group)
{
	const mode_t mode = group == (gid_t)-1 ? 0700 : 0710;

	if (fchown(fd, geteuid(), group) < 0 || fchmod(fd, mode) < 0)
		return -1;
	return fchown(fd, owner(), group);
}

// Opens and locks dir. Returns a descriptor or -errno. -EBUSY: a running switch has the lock.
// -EAGAIN: another process removed the directory between open() and flock() here.
static int lock_dir(gid_t group)
{
	struct stat here, there;
	int rc = 0, fd = open_dir(dir);

	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno; // EWOULDBLOCK is EAGAIN
	else if (lstat(dir, &there) < 0 || fstat(fd, &here) < 0 || here.st_ino != there.st_ino)
		rc = -EAGAIN;
	else if (access(dir, W_OK) < 0 || hand_over(fd, group) < 0)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static int wait_for_lock(gid_t group)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	const uint64_t end = drb_clock_now() + DYING_NS;
	int fd;

	while ((fd = lock_dir(group)) == -EAGAIN || (fd == -EBUSY && drb_clock_now() < end)) {
		if (fd == -EBUSY)
			nanosleep(&pause, NULL);
	}
	return fd;
}

// Returns the process that holds the lock, by /proc/locks. 0: unknown.
static int holder(void)
{
	unsigned long inode;
	char line[256];
	struct stat st;
	int pid, found = 0;
	FILE *locks = lstat(dir, &st) == 0 ? fopen("/proc/locks", "re") : NULL;

	while (locks && !found && fgets(line, sizeof(line), locks)) {
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%lu", &pid, &inode) == 2 &&
		    inode == st.st_ino && kill(pid, 0) == 0)
			found = pid;
	}
	if (locks)
		fclose(locks);
	return found;
}

// Names the holder of the lock: a running switch, or the stopped broker of a killed one (broker.h).
static void say_running(const char *instance)
{
	const int pid = holder();
	char path[64], state = '?';

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *stat = pid > 0 ? fopen(path, "re") : NULL;
	if (stat && fscanf(stat, "%*d (drb-broker) %c", &state) != 1)
		state = '?';
	if (stat)
		fclose(stat);
	if (state == 'T')
		drb_error("a switch %s is running already: its drb-broker, process %d, is stopped "
			  "and holds %s: kill -CONT %d",
			  instance, pid, dir, pid);
	else if (pid > 0)
		drb_error("a switch %s is running already: process %d holds %s", instance, pid,
			  dir);
	else
		drb_error("a switch %s is running already (it holds %s)", instance, dir);
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

// Makes the directory that contains the directories of all instances. If the switch runs as another
// user than root, every user may list it: the switch must pass through it, and `drbctl serve` reads
// it. The directories of instances admit nobody else.
static int make_parent(void)
{
	char *end = strrchr(dir, '/');
	struct stat st = {.st_uid = (uid_t)-1};

	*end = '\0';
	int fd = open_dir(dir);
	if (fd < 0)
		drb_error("cannot %s %s for the stats socket: %s", fd == -ENOENT ? "make" : "use",
			  dir, why_not(fd));
	else if (fstat(fd, &st) == 0 && st.st_uid != owner())
		(void)fchmod(fd, (st.st_mode & 07777) | 0055);
	takes_over = fd >= 0 && st.st_uid == 0 && geteuid() == 0;
	if (fd >= 0)
		close(fd);
	*end = '/';
	return fd < 0 ? fd : 0;
}

int drb_instance_claim(const struct drb_setup *setup, struct drb_operators *operators,
		       const char **folder)
{
	const char *instance = setup->instance;
	const char *runtime = drb_telemetry_runtime();

	if ((size_t)snprintf(dir, sizeof(dir), "%s/dpdk/%s", runtime, instance) +
		    sizeof("/" DRB_TELEMETRY_SOCKET) >
	    sizeof(dir)) {
		drb_error("%s/dpdk/%s is too long for a stats socket in it", runtime, instance);
		return -ENAMETOOLONG;
	}
	if (drb_operators_find(operators, setup->operators) < 0) {
		drb_error("process.operators: there is no group '%s': groupadd --system %s",
			  setup->operators, setup->operators);
		return -ENOENT;
	}
	int rc = make_parent();
	if (rc < 0)
		return rc;
	int fd = wait_for_lock(operators->group);
	if (fd == -EBUSY)
		say_running(instance);
	else if (fd < 0)
		drb_error("cannot use %s for the stats socket: %s", dir, why_not(fd));
	else
		atexit(remove_dir);
	*folder = dir;
	return fd; // stays open and holds the lock until the process ends
}
