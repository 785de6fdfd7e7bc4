// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/format_option.h"

#include "common/cli/table.h"

// Behind the options of any verb in --help.
#define GROUP 9

enum { KEY_CSV = 0x7f00, KEY_JSON, KEY_WIDE };

static const struct argp_option options[] = {
	{"csv", KEY_CSV, NULL, 0, "Print comma-separated values", GROUP},
	{"json", KEY_JSON, NULL, 0, "Print one JSON object a line", GROUP},
	{"wide", KEY_WIDE, NULL, 0,
	 "Print all rows and columns, also those that are zero or wider than the terminal", GROUP},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	enum drb_format *format = state->input;

	(void)arg;
	switch (key) {
	case KEY_CSV:
		*format = DRB_FORMAT_CSV;
		return 0;
	case KEY_JSON:
		*format = DRB_FORMAT_JSON;
		return 0;
	case KEY_WIDE:
		drb_table_wide();
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp drb_format_argp = {.options = options, .parser = parse};
