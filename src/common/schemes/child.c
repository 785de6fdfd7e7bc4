// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFUSE(...) drb_scheme_refuse(why, __VA_ARGS__)

static _Noreturn void run_and_tell(void (*run)(void *context, char why[DRB_SCHEME_WHY]),
				   void *context, int to)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	char why[DRB_SCHEME_WHY] = "";

	// The parent tells of it, and nobody else: sanitizers would.
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	run(context, why);
	_exit(write(to, why, sizeof(why)) == sizeof(why) ? 0 : 1);
}

static int take_verdict(int from, pid_t child, uint32_t patience_ms, char why[DRB_SCHEME_WHY])
{
	struct pollfd waited = {.fd = from, .events = POLLIN};
	int n, status;

	do
		n = poll(&waited, 1, (int)patience_ms);
	while (n < 0 && errno == EINTR);
	const bool said = n > 0 && read(from, why, DRB_SCHEME_WHY) == DRB_SCHEME_WHY;
	if (n == 0)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (said)
		return why[0] ? -EINVAL : 0;
	if (n == 0)
		return REFUSE("does not return within %u s when it is tried out",
			      patience_ms / 1000);
	if (WIFSIGNALED(status))
		return REFUSE("crashes when it is tried out (%s)", strsignal(WTERMSIG(status)));
	return REFUSE("ends the process when it is tried out");
}

int drb_child_run(void (*run)(void *context, char why[DRB_SCHEME_WHY]), void *context,
		  uint32_t patience_ms, char why[DRB_SCHEME_WHY])
{
	int ends[2];

	if (pipe(ends) < 0)
		return REFUSE("cannot be tried out: %s", strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		run_and_tell(run, context, ends[1]);
	close(ends[1]);
	int rc = child < 0 ? REFUSE("cannot be tried out: %s", strerror(errno))
			   : take_verdict(ends[0], child, patience_ms, why);
	close(ends[0]);
	return rc;
}
