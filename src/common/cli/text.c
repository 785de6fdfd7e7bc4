// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void drb_text_add(char *text, size_t size, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}
