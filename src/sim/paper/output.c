// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/output.h"

#include <errno.h>
#include <string.h>

#include "common/cli/log.h"

FILE *paper_open(const struct paper *p, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	FILE *f = fopen(path, "w");
	if (!f)
		drb_die("%s: cannot write: %s", path, strerror(errno));
	return f;
}

void paper_close(const struct paper *p, FILE *f, const char *name)
{
	bool bad = ferror(f);

	if (fclose(f) != 0 || bad)
		drb_die("%s/%s: cannot write: %s", p->dir, name, strerror(errno));
}
