// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "common/cli/log.h"

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

// Reads decompressed bytes. Uncompressed data pass unchanged, except that a byte order mark, with
// which some editors begin a text, is skipped.
static ssize_t inflate_some(void *cookie, char *buffer, size_t size)
{
	bool first = gztell(cookie) == 0;
	int error, count = gzread(cookie, buffer, (unsigned)size);

	if (first && count >= 3 && memcmp(buffer, "\xef\xbb\xbf", 3) == 0) {
		count -= 3;
		memmove(buffer, buffer + 3, (size_t)count);
		if (count == 0)
			return inflate_some(cookie, buffer, size);
	}
	if (count > 0)
		return count;
	gzerror(cookie, &error);
	if (error == Z_OK || error == Z_STREAM_END)
		return 0;
	if (error != Z_ERRNO)
		errno = error == Z_BUF_ERROR ? ENODATA : EBADMSG;
	return -1;
}

static int finish(void *cookie)
{
	(void)gzclose_r(cookie); // inflate_some() has reported errors already
	return 0;
}

FILE *drb_file_read(const char *path)
{
	static const cookie_io_functions_t functions = {.read = inflate_some, .close = finish};
	int fd = is_standard(path) ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	gzFile gz = gzdopen(fd, "r");
	FILE *file = gz ? fopencookie(gz, "r", functions) : NULL;
	if (file)
		return file;
	if (gz)
		(void)gzclose_r(gz);
	else
		close(fd);
	errno = ENOMEM;
	return NULL;
}

const char *drb_file_error(int error)
{
	return error == ENODATA   ? "its gzip data end too early"
	       : error == EBADMSG ? "its gzip data are damaged"
				  : strerror(error);
}

const char *drb_file_name(const char *path)
{
	return is_standard(path) ? "standard input" : path;
}

const char *drb_file_lines(FILE *in, const char *(*take)(void *context, char *line), void *context,
			   uint32_t *number)
{
	char line[DRB_LINE_MAX + 2];
	const char *wrong = NULL;

	while (!wrong && fgets(line, sizeof(line), in)) {
		++*number;
		wrong = strlen(line) > DRB_LINE_MAX && line[DRB_LINE_MAX] != '\n'
				? "a line has at most 510 bytes"
				: take(context, line);
	}
	return wrong ? wrong : ferror(in) ? drb_file_error(errno) : NULL;
}

void drb_file_complain(char *text, size_t size, const char *name, uint32_t line, const char *wrong)
{
	char place[sizeof(":4294967295")] = "";

	if (line > 0)
		snprintf(place, sizeof(place), ":%" PRIu32, line);
	snprintf(text, size, "%.80s%s: %s", name, place, wrong);
}

FILE *drb_file_write(const char *path)
{
	FILE *file = is_standard(path) ? stdout : fopen(path, "we");

	if (!file)
		drb_die("%s: %s", path, strerror(errno));
	return file;
}

int drb_file_written(FILE *file, const char *path)
{
	if (!file)
		return DRB_EXIT_OK;
	if (file == stdout)
		return drb_finish(DRB_EXIT_OK);
	const bool failed = ferror(file); // errno no longer has its error
	if (fclose(file) == 0 && !failed)
		return DRB_EXIT_OK;
	drb_error("%s: cannot write all of it: %s", is_standard(path) ? "standard output" : path,
		  failed ? "is the disk full?" : strerror(errno));
	return DRB_EXIT_FAILED;
}
