// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[PATH_MAX];

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

void drb_log_file_begin(void)
{
	struct stat here, there;
	const ssize_t length = readlink("/proc/self/fd/2", name, sizeof(name) - 1);

	name[length > 0 ? length : 0] = '\0';
	if (fstat(STDERR_FILENO, &here) < 0 || !S_ISREG(here.st_mode) || stat(name, &there) < 0 ||
	    !is_same(&here, &there))
		name[0] = '\0';
}

const char *drb_log_file_name(void)
{
	return name[0] ? name : NULL;
}

int drb_log_file_open(void)
{
	int fd = name[0] ? open(name,
				O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
				0644)
			 : -ENXIO;

	return name[0] && fd < 0 ? -errno : fd;
}

void drb_log_file_take(int fd)
{
	struct stat out, before, now;

	if (fstat(STDERR_FILENO, &before) == 0 && fstat(fd, &now) == 0 && !is_same(&before, &now)) {
		if (fstat(STDOUT_FILENO, &out) == 0 && is_same(&out, &before))
			dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	close(fd);
}
