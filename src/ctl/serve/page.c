// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/page.h"

#include <stdbool.h>
#include <string.h>

#include "page_app.h"
#include "page_history.h"
#include "page_index.h"
#include "page_layout.h"
#include "page_map.h"
#include "page_marks.h"
#include "page_panel.h"
#include "page_style.h"
#include "page_timeline.h"
#include "page_tree.h"
#include "page_viewport.h"

#define JS "text/javascript; charset=utf-8"

static const struct page_file files[] = {
	{"/", "text/html; charset=utf-8", page_index, sizeof(page_index)},
	{"/style.css", "text/css; charset=utf-8", page_style, sizeof(page_style)},
	{"/tree.js", JS, page_tree, sizeof(page_tree)},
	{"/history.js", JS, page_history, sizeof(page_history)},
	{"/layout.js", JS, page_layout, sizeof(page_layout)},
	{"/viewport.js", JS, page_viewport, sizeof(page_viewport)},
	{"/marks.js", JS, page_marks, sizeof(page_marks)},
	{"/map.js", JS, page_map, sizeof(page_map)},
	{"/timeline.js", JS, page_timeline, sizeof(page_timeline)},
	{"/panel.js", JS, page_panel, sizeof(page_panel)},
	{"/app.js", JS, page_app, sizeof(page_app)},
};

const struct page_file *page_find(const char *path)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(path, files[i].path) == 0)
			return &files[i];
	}
	return NULL;
}

// The file that a line of the page names after `key`; NULL: none.
static const struct page_file *named(const char *line, size_t length, const char *key)
{
	const char *at = memmem(line, length, key, strlen(key));
	char path[32] = "/";

	if (!at)
		return NULL;
	at += strlen(key);
	size_t size = strcspn(at, "\"");
	if (size > sizeof(path) - 2)
		return NULL;
	memcpy(path + 1, at, size);
	return page_find(path);
}

static void write_within(FILE *out, const char *tag, const struct page_file *file)
{
	fprintf(out, "<%s>\n", tag);
	fwrite(file->data, 1, file->length, out);
	fprintf(out, "</%s>\n", tag);
}

// Writes the part of the page before its first script, or else the rest. Style sheets and scripts
// are written into the page.
static void write_part(FILE *out, bool scripts)
{
	const struct page_file *page = page_find("/");
	bool seen = false;

	for (size_t at = 0, length; at < page->length; at += length) {
		const char *line = (const char *)page->data + at;
		const char *stop = memchr(line, '\n', page->length - at);
		length = stop ? (size_t)(stop + 1 - line) : page->length - at;
		const struct page_file *style = named(line, length, "rel=\"stylesheet\" href=\"");
		const struct page_file *script = named(line, length, "<script src=\"");
		seen |= script != NULL;
		if (seen != scripts)
			continue;
		if (style)
			write_within(out, "style", style);
		else if (script)
			write_within(out, "script", script);
		else
			fwrite(line, 1, length, out);
	}
}

void page_begin_recording(FILE *out)
{
	write_part(out, false);
	fputs("<script type=\"application/x-ndjson\" id=\"recording\">\n", out);
}

void page_end_recording(FILE *out)
{
	fputs("</script>\n", out);
	write_part(out, true);
}
