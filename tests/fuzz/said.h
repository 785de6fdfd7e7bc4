// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An input as a file, and the messages about it on standard error.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static int said_to, standard_error;

// Path of a file of these bytes, the same for every input.
static inline const char *file_of(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[32];

	if (fd < 0) {
		fd = memfd_create("input", 0);
		said_to = memfd_create("said", 0);
		standard_error = dup(STDERR_FILENO);
		require(fd >= 0 && said_to >= 0 && standard_error >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	require(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

// Captures standard error from here on; needs a previous file_of().
static inline void listen_to_errors(void)
{
	require(ftruncate(said_to, 0) == 0 && lseek(said_to, 0, SEEK_SET) == 0);
	dup2(said_to, STDERR_FILENO);
}

// The messages since then, valid until the next call.
static inline const char *errors_said(void)
{
	static char text[4096];

	dup2(standard_error, STDERR_FILENO);
	ssize_t len = pread(said_to, text, sizeof(text) - 1, 0);
	require(len >= 0);
	text[len] = '\0';
	return text;
}

static inline bool is_one_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && end[1] == '\0';
}
