// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A growing text in an array of fixed size, truncated at its end.

#include <stddef.h>

void drb_text_add(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
