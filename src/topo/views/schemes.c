// SPDX-License-Identifier: BSD-3-Clause
// drbtopo schemes: the table of routing schemes, for people and for programs that must know them.
#include "topo/verbs.h"

#include "core/schemes/schemes.h"

#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "common/cli/table.h"

static const char *const compared[] = {
	[DRB_COMPARES_NONE] = "none", [DRB_COMPARES_TWO] = "two", [DRB_COMPARES_ALL] = "all"};

static void print(enum drb_format format)
{
	static const struct drb_column columns[] = {
		{"scheme", NULL, DRB_TEXT, 0},    {"compares", "compares queues of", DRB_TEXT, 0},
		{"threshold", NULL, DRB_FLAG, 0}, {"flows", "flows and flowlets", DRB_FLAG, 0},
		{"colour", NULL, DRB_TEXT, 0},    {"symbol", NULL, DRB_TEXT, 0},
		{"meaning", NULL, DRB_TEXT, 0},
	};
	struct drb_table *table =
		drb_table_new(stdout, format, columns, sizeof(columns) / sizeof(columns[0]));

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		drb_table_text(table, ops->name);
		drb_table_text(table, compared[ops->compares]);
		drb_table_flag(table, ops->needs & DRB_HAS_THRESHOLD);
		drb_table_flag(table, !(ops->needs & DRB_PACKETS_ONLY));
		drb_table_text(table, ops->colour);
		drb_table_text(table, ops->symbol);
		drb_table_text(table, ops->help);
	}
	drb_table_end(table);
}

int topo_schemes(int argc, char **argv)
{
	enum drb_format format = DRB_FORMAT_TABLE;
	const struct drb_options sets[] = {{.argp = &drb_format_argp, .into = &format}, {0}};

	drb_options_parse(
		sets,
		"Lists the routing schemes: how many uplinks' queues a decision compares, "
		"whether it redirects by the threshold T, and whether it can hold for flows "
		"and flowlets as well as for packets. Figures draw it in its colour, with points "
		"that are matplotlib's symbol.",
		argc, argv);
	print(format);
	return DRB_EXIT_OK;
}
