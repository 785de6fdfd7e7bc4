// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/format_option.h"

#include "common/cli/colour.h"
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
	const struct drb_option words = {o->name, o->arg, NULL, .kind = DRB_OPTION_WORD};
	unsigned when; // enum drb_colour

	(void)format;
	drb_option_take(&words, text, &when);
	drb_colour_set((enum drb_colour)when);
}

const struct drb_option drb_format_options[] = {
	{"--csv", NULL, "Print comma-separated values", .kind = DRB_OPTION_VALUE, 0,
	 DRB_FORMAT_CSV},
	{"--json", NULL, "Print one JSON object a line", .kind = DRB_OPTION_VALUE, 0,
	 DRB_FORMAT_JSON},
	{"--wide", NULL,
	 "Print all rows and columns, also those that are zero or wider than the terminal",
	 .kind = DRB_OPTION_OTHER, .parse = take_wide},
	{"--color", "auto|always|never",
	 "Print what is wrong bold and red; auto (default): on terminals, unless NO_COLOR is set",
	 .kind = DRB_OPTION_OTHER, .parse = take_colour},
	{0},
};
