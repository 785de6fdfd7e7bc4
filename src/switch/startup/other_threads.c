// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/other_threads.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// ThreadSanitizer delays a signal until the thread makes a call that it intercepts. Without
// SA_RESTART, a thread that waits in a call returns from it. The sanitizer's own thread handles no
// signals, but ends on request.
#ifdef __SANITIZE_THREAD__
#include <sanitizer/common_interface_defs.h>
#define RESTART 0
#else
#define __sanitizer_sandbox_on_notify(arguments)
#define RESTART SA_RESTART
#endif

#define ACT_SIGNAL SIGRTMIN
#define WITHIN_MS 1000
#define THREADS_MAX 256

static int (*action)(void); // of the current call; constant while a thread may be in the handler
static atomic_uint acted;   // number of threads that have called the action; each adds 1
static atomic_int failure;  // -errno of a thread that failed

static void act_here(int signal)
{
	int saved = errno;

	(void)signal;
	int rc = action();
	if (rc < 0)
		atomic_store(&failure, rc);
	atomic_fetch_add(&acted, 1);
	errno = saved;
}

// Has one thread call the action. Returns 0, also if the thread has ended, or -errno.
static int act_in(pid_t tid)
{
	const struct timespec pause = {.tv_nsec = 100000};
	const unsigned before = atomic_load(&acted);
	const pid_t process = getpid();

	if (tgkill(process, tid, ACT_SIGNAL) < 0)
		return errno == ESRCH ? 0 : -errno;
	for (uint32_t tries = 0; atomic_load(&acted) == before; tries++) {
		if (tgkill(process, tid, 0) < 0)
			return 0;
		if (tries == WITHIN_MS * 10)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	return atomic_load(&failure);
}

// Finds the threads of this process except the caller and those in `known`. Returns their number or
// -errno.
static int find_others(const pid_t known[], uint32_t known_count, pid_t found[THREADS_MAX])
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -errno;
	while (count < THREADS_MAX && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);
		bool is_known = tid <= 0 || tid == gettid();
		for (uint32_t i = 0; i < known_count && !is_known; i++)
			is_known = known[i] == tid;
		if (!is_known)
			found[count++] = tid;
	}
	closedir(dir);
	return count;
}

int drb_in_other_threads(int (*act)(void))
{
	struct sigaction handler = {.sa_handler = act_here, .sa_flags = RESTART};
	pid_t done[THREADS_MAX], found[THREADS_MAX];
	uint32_t done_count = 0;
	int rc = 0, count;

	__sanitizer_sandbox_on_notify(NULL);
	action = act;
	atomic_store(&failure, 0);
	sigemptyset(&handler.sa_mask);
	if (sigaction(ACT_SIGNAL, &handler, NULL) < 0)
		return -errno;
	while (rc == 0 && (count = find_others(done, done_count, found)) != 0) {
		if (count < 0)
			rc = count;
		else if (done_count + (uint32_t)count > THREADS_MAX)
			rc = -EAGAIN;
		for (int i = 0; rc == 0 && i < count; i++) {
			rc = act_in(found[i]);
			done[done_count++] = found[i];
		}
	}
	signal(ACT_SIGNAL, SIG_IGN);
	return rc;
}
