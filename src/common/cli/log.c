// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char text[1024];
static enum drb_log_level limit = DRB_LOG_INFO;
static _Atomic(drb_log_sink) sink; // NULL: standard error
static _Thread_local void (*die_by)(const char *text);

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

// Input files and command lines may contain any bytes. They must not break a message into lines.
static void line_write(enum drb_log_level level, const char *kind, char *line)
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
	else // One write, so that lines of several processes on one terminal do not mix.
		fprintf(stderr, "%s: %s%s\n", program_invocation_short_name,
			level == DRB_LOG_WARNING ? "warning: " : "", line);
}

static void __attribute__((format(printf, 2, 0)))
message_print(enum drb_log_level level, const char *fmt, va_list ap)
{
	vsnprintf(text, sizeof(text), fmt, ap);
	line_write(level, fmt, text);
}

void drb_log_text(enum drb_log_level level, const char *kind, const char *said, size_t length)
{
	char line[sizeof(text)];

	while (length > 0 && said[length - 1] == '\n')
		length--;
	snprintf(line, sizeof(line), "%.*s",
		 length < sizeof(line) ? (int)length : (int)sizeof(line), said);
	line_write(level, kind, line);
}

void drb_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_print(DRB_LOG_ERROR, fmt, ap);
	va_end(ap);
}

void drb_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_print(DRB_LOG_WARNING, fmt, ap);
	va_end(ap);
}

void drb_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_print(DRB_LOG_INFO, fmt, ap);
	va_end(ap);
}

void drb_die_by(void (*end)(const char *text))
{
	die_by = end;
}

void drb_die(const char *fmt, ...)
{
	static atomic_flag ending = ATOMIC_FLAG_INIT;
	va_list ap;

	if (die_by) {
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		die_by(text);
		abort(); // die_by() must not return
	}
	// Several threads may find errors at the same time. The first thread reports its error and
	// ends the process.
	while (atomic_flag_test_and_set(&ending))
		pause();
	va_start(ap, fmt);
	message_print(DRB_LOG_ERROR, fmt, ap);
	va_end(ap);
	exit(DRB_EXIT_USAGE);
}

int drb_finish(int code)
{
	static bool told;

	if (told)
		return DRB_EXIT_FAILED;
	const bool flushed = fflush(stdout) == 0;
	if (flushed && !ferror(stdout))
		return code;
	told = true;
	// If an earlier write failed, errno no longer has its error.
	drb_error("cannot write standard output: %s",
		  flushed ? "a write failed: is the disk full?" : strerror(errno));
	return DRB_EXIT_FAILED;
}
