// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The files of the page (src/ctl/serve/page), built into the program.

#include <stddef.h>

struct page_file {
	const char *path; // "/app.js"
	const char *type; // Content-Type
	const unsigned char *data;
	size_t length;
};

// NULL: there is no such file. "/" is the page itself.
const struct page_file *page_find(const char *path);
