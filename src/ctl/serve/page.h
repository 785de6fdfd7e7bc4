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

// Finds a file by its path; "/" is the page itself. NULL: there is no such file.
const struct page_file *page_find(const char *path);

// Writes the page as one file that needs no others: the part before a recording, and the part after
// it. The caller writes the recording in between: states (state.h), one a line, without the
// character '<'.
void page_begin_recording(FILE *out);
void page_end_recording(FILE *out);
