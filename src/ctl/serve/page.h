// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The files of the page (src/ctl/serve/page), built into the program.

#include <stddef.h>
#include <stdio.h>

struct page_file {
	const char *path; // "/app.js"
	const char *type; // Content-Type
	const unsigned char *data;
	size_t length;
};

// NULL: there is no such file. "/" is the page itself.
const struct page_file *page_find(const char *path);

// The page as one file that needs no other: what stands before a recording, which is states (state.h)
// without the character '<', one a line, and what stands behind it.
void page_begin_recording(FILE *out);
void page_end_recording(FILE *out);
