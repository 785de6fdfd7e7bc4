// SPDX-License-Identifier: BSD-3-Clause
// The text of the config file, kept in memory, because a pipe can be read only once. Messages name
// lines of this text, even if the file has changed since.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <yaml.h>

#include "common/cli/log.h"
#include "common/config/document.h"

// A config with all keys for each of 64 ports is below 20 KiB. The time of parsers grows with the
// square of the text's length.
#define TEXT_MAX (64 << 10)
// ports: [{key: value}] is three deep. Deeper text is no config, and takes parsers long.
#define DEPTH_MAX 16

static char text[TEXT_MAX + 1];
static size_t length;

static int open_plainly(const char *path)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int read_whole(const char *path, const int *given)
{
	int fd = given ? *given : open_plainly(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	length = 0;
	if (fd < 0)
		errno = -fd;
	if (f) {
		errno = 0;
		length = fread(text, 1, sizeof(text), f);
	}
	if (!f || ferror(f)) {
		drb_error("%s: %s", path, strerror(errno));
		length = 0;
	} else if (length > TEXT_MAX) {
		drb_error("%s: longer than %d KiB: no config", path, TEXT_MAX >> 10);
		length = 0;
	} else if (length > 1 && memcmp(text, "\x1f\x8b", 2) == 0) {
		drb_error("%s: compressed by gzip: gunzip it, for a config is written to, too",
			  path);
		length = 0;
	} else {
		fclose(f);
		return 0;
	}
	if (f)
		fclose(f);
	return -EINVAL;
}

// Returns the change of depth that an event of the parser makes.
static int deeper(yaml_event_type_t type)
{
	switch (type) {
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return 1;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return -1;
	default:
		return 0;
	}
}

// Accepts text that is not YAML: drb_document_load() reports the error.
static int check_form(const char *path, yaml_parser_t *parser)
{
	int depth = 0, documents = 0;
	bool ended = false;

	while (!ended) {
		yaml_event_t event;
		if (!yaml_parser_parse(parser, &event))
			return 0;
		size_t line = event.start_mark.line + 1;
		depth += deeper(event.type);
		documents += event.type == YAML_DOCUMENT_START_EVENT;
		ended = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		if (depth > DEPTH_MAX) {
			drb_error("%s:%zu: nested deeper than %d levels", path, line, DEPTH_MAX);
			return -EINVAL;
		}
		if (documents > 1) {
			drb_error("%s:%zu: a second document; a config is one", path, line);
			return -EINVAL;
		}
	}
	return 0;
}

static int check_text(const char *path)
{
	yaml_parser_t parser;
	int rc;

	if (!yaml_parser_initialize(&parser)) {
		drb_error("%s: out of memory", path);
		return -EINVAL;
	}
	yaml_parser_set_input_string(&parser, (const uint8_t *)text, length);
	rc = check_form(path, &parser);
	yaml_parser_delete(&parser);
	return rc;
}

int drb_config_text_read(const char *path, const int *fd, struct drb_config_text *read)
{
	if (read_whole(path, fd) < 0 || check_text(path) < 0)
		return -EINVAL;
	*read = (struct drb_config_text){text, length};
	return 0;
}

int drb_config_text_take(const char *path, const char *from, size_t size,
			 struct drb_config_text *taken)
{
	if (size > TEXT_MAX) {
		drb_error("%s: longer than %d KiB: no config", path, TEXT_MAX >> 10);
		return -EINVAL;
	}
	memmove(text, from, size); // `from` may be `text`
	length = size;
	if (check_text(path) < 0)
		return -EINVAL;
	*taken = (struct drb_config_text){text, length};
	return 0;
}
