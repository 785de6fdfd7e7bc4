// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/format_option.h"

#include <string.h>

#include "common/cli/colour.h"
#include "common/cli/log.h"
#include "common/cli/table.h"

static void take_wide(const struct drb_option *o, const char *text, void *format)
{
	(void)o;
	(void)text;
	(void)format;
	drb_table_wide();
}

static void take_colour(const struct drb_option *o, const char *text, void *format)
{
	static const char *const words[] = {"auto", "always", "never"};

	(void)format;
	for (unsigned when = DRB_COLOUR_AUTO; when <= DRB_COLOUR_NEVER; when++) {
		if (strcmp(text, words[when]) == 0) {
			drb_colour_set(when);
			return;
		}
	}
	drb_die("%s '%s': must be auto, always or never", o->name, text);
}

const struct drb_option drb_format_options[] = {
	{"--csv", NULL, "Print comma-separated values", .kind = DRB_OPTION_VALUE, 0,
	 DRB_FORMAT_CSV},
	{"--json", NULL, "Print one JSON object a line", .kind = DRB_OPTION_VALUE, 0,
	 DRB_FORMAT_JSON},
	{"--wide", NULL,
	 "Print all rows and columns, also those that are zero or wider than the terminal",
	 .kind = DRB_OPTION_OTHER, .parse = take_wide},
	{"--color", "WHEN",
	 "Print what is wrong bold and red: auto (on terminals, unless NO_COLOR is set; default), "
	 "always or never",
	 .kind = DRB_OPTION_OTHER, .parse = take_colour},
	{0},
};
