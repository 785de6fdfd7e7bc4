// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that users name, the same in every program. "-" is standard input or output. A file
// compressed by gzip is decompressed, and the byte order mark of a text is skipped.

#include <stdint.h>
#include <stdio.h>

// NULL with errno if the file cannot be opened. Reading damaged gzip data fails with EBADMSG, and
// data that end too early with ENODATA.
FILE *drb_file_read(const char *path);
// Like strerror(), but EBADMSG and ENODATA have the meaning that drb_file_read() gives them.
const char *drb_file_error(int error);
// The name of the file in messages: "standard input" for "-".
const char *drb_file_name(const char *path);

// Bytes of the longest line of a list, without its newline.
#define DRB_LINE_MAX 510
// Calls take() for each line in turn. take() may change the line, and returns NULL or an error.
// Stops at the first error, which may be in a line, its length or reading, and returns the error.
// NULL: no error. *number: number of the last line; the caller sets it to 0.
const char *drb_file_lines(FILE *in, const char *(*take)(void *context, char *line), void *context,
			   uint32_t *number);
// Writes "NAME:LINE: WRONG", or "NAME: WRONG" about a file of which no line was read.
void drb_file_complain(char *text, size_t size, const char *name, uint32_t line, const char *wrong);

// Opens a file for writing; NULL or "-" is standard output. Ends the program if it cannot be
// opened.
FILE *drb_file_write(const char *path);
// Closes the file. DRB_EXIT_OK, or DRB_EXIT_FAILED with a message if not all data could be written.
// file NULL: nothing to do.
int drb_file_written(FILE *file, const char *path);
