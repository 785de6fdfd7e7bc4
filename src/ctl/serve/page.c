// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/page.h"

#include <string.h>

#include "page_app.h"
#include "page_index.h"
#include "page_style.h"

static const struct page_file files[] = {
	{"/", "text/html; charset=utf-8", page_index, sizeof(page_index)},
	{"/app.js", "text/javascript; charset=utf-8", page_app, sizeof(page_app)},
	{"/style.css", "text/css; charset=utf-8", page_style, sizeof(page_style)},
};

const struct page_file *page_find(const char *path)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(path, files[i].path) == 0)
			return &files[i];
	}
	return NULL;
}
