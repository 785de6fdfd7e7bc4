// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char text[1024];
static enum drb_log_level limit = DRB_LOG_INFO;
static _Atomic(drb_log_sink) sink; // NULL: standard error

const char *drb_msg_last(void)
{
	return text;
}

int drb_log_level_of(const char *name, enum drb_log_level *level)
{
	static const char *const names[DRB_LOG_LEVELS] = {"error", "warning", "info", "debug"};

	for (unsigned i = 0; i < DRB_LOG_LEVELS; i++) {
		if (strcmp(name, names[i]) == 0) {
			*level = i;
			return 0;
		}
	}
	return -EINVAL;
}

void drb_log_limit(enum drb_log_level level)
{
	limit = level;
}

void drb_log_set_sink(drb_log_sink to)
{
	atomic_store(&sink, to);
}

// Input files and command lines may hold anything; a message stays one line.
static void say(enum drb_log_level level, const char *kind, char *line)
{
	drb_log_sink to = atomic_load(&sink);

	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	if (level > limit)
		return;
	if (to)
		to(level, kind, line);
	else // One write, so that lines of many processes on one terminal do not mix.
		fprintf(stderr, "%s: %s%s\n", program_invocation_short_name,
			level == DRB_LOG_WARNING ? "warning: " : "", line);
}

static void __attribute__((format(printf, 2, 0)))
print(enum drb_log_level level, const char *fmt, va_list ap)
{
	vsnprintf(text, sizeof(text), fmt, ap);
	say(level, fmt, text);
}

void drb_log_text(enum drb_log_level level, const char *kind, const char *said, size_t length)
{
	char line[sizeof(text)];

	while (length > 0 && said[length - 1] == '\n')
		length--;
	snprintf(line, sizeof(line), "%.*s",
		 length < sizeof(line) ? (int)length : (int)sizeof(line), said);
	say(level, kind, line);
}

void drb_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(DRB_LOG_ERROR, fmt, ap);
	va_end(ap);
}

void drb_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(DRB_LOG_WARNING, fmt, ap);
	va_end(ap);
}

void drb_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(DRB_LOG_INFO, fmt, ap);
	va_end(ap);
}

void drb_die(const char *fmt, ...)
{
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	va_list ap;

	// Threads that find one mistake together: the first one tells it and ends the process.
	while (atomic_flag_test_and_set(&ending))
		pause();
	va_start(ap, fmt);
	print(DRB_LOG_ERROR, fmt, ap);
	va_end(ap);
	exit(DRB_EXIT_USAGE);
}

int drb_finish(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	drb_error("cannot write standard output: %s", strerror(errno));
	return DRB_EXIT_FAILED;
}
