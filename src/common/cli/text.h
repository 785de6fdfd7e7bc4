// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Appends to a text in an array of fixed size. Text that does not fit is cut off.

#include <stddef.h>

void drb_text_add(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
