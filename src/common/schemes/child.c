// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/child.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Period at which the parent checks the child.
#define LOOK_EVERY_MS 50
// On a busy machine the child may take its patience this many times.
#define BUSY_TIMES 20

#define REFUSE(...) drb_scheme_refuse(why, __VA_ARGS__)

static _Noreturn void run_and_tell(void (*run)(void *context, char why[DRB_SCHEME_WHY]),
				   void *context, int to)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	char why[DRB_SCHEME_WHY] = "";

	// Only the parent reports a crash, so sanitizers must not handle these signals.
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	run(context, why);
	_exit(write(to, why, sizeof(why)) == sizeof(why) ? 0 : 1);
}

// Sets the CPU time that the child has used. True if the child waits for a CPU or runs.
static bool child_look(pid_t child, uint64_t *ran_ms)
{
	char path[48], state = 'S';
	uint64_t ran_ns = 0;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)child);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNu64, &ran_ns) == 1)
		*ran_ms = ran_ns / 1000000;
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	f = fopen(path, "re");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'S';
	if (f)
		fclose(f);
	return state == 'R';
}

// True if the child has ended or written. False if its time is over. While it wants a CPU, only the
// time that it ran counts.
static bool await_child(struct pollfd *from, pid_t child, uint32_t patience_ms)
{
	const uint32_t looks = patience_ms * BUSY_TIMES / LOOK_EVERY_MS;
	uint64_t spent_ms = 0, ran_ms = 0;

	for (uint32_t look = 0; look < looks && spent_ms < patience_ms; look++) {
		const uint64_t before_ms = ran_ms;
		if (poll(from, 1, LOOK_EVERY_MS) > 0)
			return true;
		const bool wants_cpu = child_look(child, &ran_ms);
		spent_ms += wants_cpu ? ran_ms - before_ms : LOOK_EVERY_MS;
	}
	return false;
}

static int take_verdict(int from, pid_t child, uint32_t patience_ms, char why[DRB_SCHEME_WHY])
{
	struct pollfd waited = {.fd = from, .events = POLLIN};
	int status;
	const bool ended = await_child(&waited, child, patience_ms);

	const bool said = ended && read(from, why, DRB_SCHEME_WHY) == DRB_SCHEME_WHY;
	if (!ended)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (said)
		return why[0] ? -EINVAL : 0;
	if (!ended)
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
