// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t ours(bool ends)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (ends) {
		sigaddset(&set, SIGTERM);
		sigaddset(&set, SIGINT);
	}
	return set;
}

void drb_signals_block(bool ends)
{
	const sigset_t set = ours(ends);

	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int drb_signals_open(void)
{
	const sigset_t set = ours(true);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int drb_signals_take(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}
