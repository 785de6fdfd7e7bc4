// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/cli/log.h"

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

FILE *ctl_output_open(const char *path)
{
	FILE *file = is_standard(path) ? stdout : fopen(path, "w");

	if (!file)
		drb_die("%s: %s", path, strerror(errno));
	return file;
}

int ctl_output_close(FILE *file, const char *path)
{
	if (ferror(file) | (is_standard(path) ? fflush(file) : fclose(file))) {
		drb_error("%s: cannot write all of it: %s",
			  is_standard(path) ? "standard output" : path, strerror(errno));
		return DRB_EXIT_FAILED;
	}
	return DRB_EXIT_OK;
}
