// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that users name, the same in every program: "-" is standard input or output, a file compressed by
// gzip is decompressed, and the byte order mark of a text is skipped.

#include <stdio.h>

// NULL with errno set if it cannot be opened. Reading damaged gzip data fails with EBADMSG, data that end too
// early with ENODATA.
FILE *drb_file_read(const char *path);
// strerror(), with the meaning that reading gives these two.
const char *drb_file_error(int error);
// What messages call it: "standard input" for "-".
const char *drb_file_name(const char *path);

// NULL or "-" is standard output. Ends the program if the file cannot be opened.
FILE *drb_file_write(const char *path);
// DRB_EXIT_OK, or DRB_EXIT_FAILED with a message if not all could be written. file NULL: nothing to do.
int drb_file_written(FILE *file, const char *path);
