// SPDX-License-Identifier: BSD-3-Clause
#include "common/schemes/crash.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/schemes/schemes.h"

#define FRAMES 64

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The watched objects.
static struct object {
	const char *path;
	uintptr_t base; // address at which it is loaded
} watched[DRB_SCHEMES_MAX];
static uint32_t count;

// The object that has this code; NULL: none.
static const struct object *object_at(void *code, uintptr_t *offset)
{
	Dl_info info;

	if (!dladdr(code, &info))
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		*offset = (uintptr_t)code - (uintptr_t)info.dli_fbase;
		if (watched[i].base == (uintptr_t)info.dli_fbase)
			return &watched[i];
	}
	return NULL;
}

static const char *name_of(int signal)
{
	const char *text = sigdescr_np(signal);

	return text ? text : "signal";
}

// Writes the line if a scheme runs, which means that the scheme or a function that it called is
// among the frames. Standard streams may be locked, so they are not used.
static void name_scheme(int signal)
{
	void *frame[FRAMES];
	const int frames = backtrace(frame, FRAMES);
	char line[DRB_SCHEME_TEXT_MAX + 200];
	uintptr_t offset;

	for (int i = 0; i < frames; i++) {
		const struct object *o = object_at(frame[i], &offset);
		if (!o)
			continue;
		int length = snprintf(line, sizeof(line),
				      "%s: scheme %s crashed: %s at its offset %#jx; drbsim "
				      "check-scheme may find why\n",
				      program_invocation_short_name, o->path, name_of(signal),
				      (uintmax_t)offset);
		(void)!write(STDERR_FILENO, line, (size_t)length);
		return;
	}
}

// If another thread crashes meanwhile, it waits for the end of the process. The signal ends the
// process when it is sent again, or when the instruction that crashed is tried again.
static void on_crash(int number)
{
	static atomic_flag seen = ATOMIC_FLAG_INIT;
	const int before = errno;

	if (atomic_flag_test_and_set(&seen)) {
		for (;;)
			pause();
	}
	name_scheme(number);
	signal(number, SIG_DFL);
	errno = before;
	raise(number);
}

static void begin_watch(void)
{
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_NODEFER}, old;
	void *frame[1];

	(void)backtrace(frame, 1); // loads the library that it needs before a crash
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		// Another handler, such as a sanitizer's, reports crashes and stays.
		if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
			sigaction(crashes[i], &action, NULL);
	}
}

void drb_scheme_crash_watch(const char *path, const struct drb_scheme_ops *ops)
{
	Dl_info info;

	if (count == DRB_SCHEMES_MAX || !dladdr((const void *)(uintptr_t)ops, &info))
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (watched[i].base == (uintptr_t)info.dli_fbase)
			return;
	}
	if (count == 0)
		begin_watch();
	watched[count++] = (struct object){path, (uintptr_t)info.dli_fbase};
}
