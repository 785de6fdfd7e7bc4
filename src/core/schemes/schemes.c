// SPDX-License-Identifier: BSD-3-Clause
#include "core/schemes/schemes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/schemes/all.h"

#define HELP_MAX 160 // octets of a line

// clang-format off
static const struct drb_scheme_ops *const table[DRB_SCHEME_COUNT] = {
#define X(id, name) [DRB_SCHEME_##id] = &drb_scheme_##name,
	DRB_SCHEMES(X)
#undef X
};
// clang-format on

const struct drb_scheme_ops *drb_scheme_ops(enum drb_scheme scheme)
{
	return table[scheme];
}

const char *drb_scheme_name(enum drb_scheme scheme)
{
	return (unsigned)scheme < DRB_SCHEME_COUNT ? table[scheme]->name : NULL;
}

int drb_scheme_parse(const char *name, enum drb_scheme *scheme)
{
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		if (strcmp(name, table[i]->name) == 0) {
			*scheme = (enum drb_scheme)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *drb_schemes_help(void)
{
	static char text[DRB_SCHEME_COUNT * HELP_MAX];
	size_t used = 0;

	for (int i = 0; i < DRB_SCHEME_COUNT; i++)
		used += (size_t)snprintf(text + used, HELP_MAX, "  %s: %s\n", table[i]->name,
					 table[i]->help);
	return text;
}
