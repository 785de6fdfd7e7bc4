// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A file that a verb writes, or standard output.

#include <stdio.h>

// NULL or "-" is standard output. Ends the program if the file cannot be opened.
FILE *ctl_output_open(const char *path);
// DRB_EXIT_OK, or DRB_EXIT_FAILED with a message if not all could be written.
int ctl_output_close(FILE *file, const char *path);
