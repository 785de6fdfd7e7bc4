// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/schemes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const char *drb_scheme_name(enum drb_scheme scheme)
{
	return (unsigned)scheme < DRB_SCHEME_COUNT ? drb_scheme_table[scheme].name : NULL;
}

int drb_scheme_parse(const char *name, enum drb_scheme *scheme)
{
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		if (strcmp(name, drb_scheme_table[i].name) == 0) {
			*scheme = (enum drb_scheme)i;
			return 0;
		}
	}
	return -EINVAL;
}
