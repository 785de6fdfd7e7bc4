// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A text that grows, in an array of size octets, and is cut where its room ends.

#include <stddef.h>

void drb_text_add(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
