// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/child.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/schemes/rig.h"

// Period at which the parent checks the child.
#define LOOK_EVERY_MS 50
// On a busy machine the child may take this many times its allowed time.
#define BUSY_TIMES 20
// A scheme must not wait. If the child has slept for longer than this, its scheme waits.
#define SLEEP_MS 1000

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

// Sets the CPU time that the child has used. Returns its state: 'R' if it waits for a CPU or runs,
// 'S' if it sleeps.
static char child_look(pid_t child, uint64_t *ran_ms)
{
	char path[48], state = '?';
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
		state = '?';
	if (f)
		fclose(f);
	return state;
}

enum end { ENDED, RUNS, SLEEPS };

// Waits for the child. ENDED: it has ended or written. Other results: its time is over. While it
// wants a CPU, only the time in which it ran counts.
static enum end await_child(struct pollfd *from, pid_t child, uint32_t patience_ms)
{
	const uint32_t looks = patience_ms * BUSY_TIMES / LOOK_EVERY_MS;
	uint64_t spent_ms = 0, slept_ms = 0, ran_ms = 0;

	for (uint32_t look = 0; look < looks && spent_ms < patience_ms; look++) {
		const uint64_t before_ms = ran_ms;
		if (poll(from, 1, LOOK_EVERY_MS) > 0)
			return ENDED;
		const char state = child_look(child, &ran_ms);
		spent_ms += state == 'R' ? ran_ms - before_ms : LOOK_EVERY_MS;
		slept_ms += state == 'S' ? LOOK_EVERY_MS : 0;
		if (slept_ms >= SLEEP_MS)
			return SLEEPS;
	}
	return RUNS;
}

static int take_verdict(int from, pid_t child, uint32_t patience_ms, char why[DRB_SCHEME_WHY])
{
	struct pollfd waited = {.fd = from, .events = POLLIN};
	char in[40] = "";
	int status;
	const enum end end = await_child(&waited, child, patience_ms);

	const bool said = end == ENDED && read(from, why, DRB_SCHEME_WHY) == DRB_SCHEME_WHY;
	if (end != ENDED)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (said)
		return why[0] ? -EINVAL : 0;
	if (*drb_rig_called)
		snprintf(in, sizeof(in), " in %s", *drb_rig_called);
	if (end == SLEEPS)
		REFUSE("sleeps%s when it is tried out: a scheme waits for nothing", in);
	else if (end == RUNS)
		REFUSE("does not return within %u s%s when it is tried out", patience_ms / 1000,
		       in);
	else if (WIFSIGNALED(status))
		return REFUSE("crashes%s when it is tried out (%s)", in,
			      strsignal(WTERMSIG(status)));
	else
		return REFUSE("ends the process%s when it is tried out", in);
	return -ETIMEDOUT;
}

int drb_child_run(void (*run)(void *context, char why[DRB_SCHEME_WHY]), void *context,
		  uint32_t patience_ms, char why[DRB_SCHEME_WHY])
{
	void *shared = mmap(NULL, sizeof(*drb_rig_called), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *volatile *own = drb_rig_called;
	int ends[2];

	if (shared == MAP_FAILED)
		return REFUSE("cannot be tried out: %s", strerror(errno));
	if (pipe(ends) < 0) {
		munmap(shared, sizeof(*drb_rig_called));
		return REFUSE("cannot be tried out: %s", strerror(errno));
	}
	drb_rig_called = shared;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		run_and_tell(run, context, ends[1]);
	close(ends[1]);
	int rc = child < 0 ? REFUSE("cannot be tried out: %s", strerror(errno))
			   : take_verdict(ends[0], child, patience_ms, why);
	close(ends[0]);
	drb_rig_called = own;
	munmap(shared, sizeof(*drb_rig_called));
	return rc;
}
