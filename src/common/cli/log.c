// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char text[1024];

const char *drb_msg_last(void)
{
	return text;
}

static void __attribute__((format(printf, 2, 0)))
print(const char *kind, const char *fmt, va_list ap)
{
	// One write, so that lines of many processes on one terminal do not mix.
	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *c = text; *c; c++) {
		// Input files and command lines may hold anything; a message stays one line.
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	fprintf(stderr, "%s: %s%s\n", program_invocation_short_name, kind, text);
}

void drb_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("", fmt, ap);
	va_end(ap);
}

void drb_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("warning: ", fmt, ap);
	va_end(ap);
}

void drb_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("", fmt, ap);
	va_end(ap);
}

void drb_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("", fmt, ap);
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
