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
	struct drb_table *table = drb_table_new(stdout, format);

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		drb_table_text(table, "scheme", NULL, ops->name);
		drb_table_text(table, "compares", "compares queues of", compared[ops->compares]);
		drb_table_flag(table, "threshold", NULL, ops->needs & DRB_HAS_THRESHOLD);
		drb_table_flag(table, "flows", "flows and flowlets",
			       !(ops->needs & DRB_PACKETS_ONLY));
		drb_table_text(table, "colour", NULL, ops->colour);
		drb_table_text(table, "symbol", NULL, ops->symbol);
		drb_table_text(table, "meaning", NULL, ops->help);
		drb_table_row_end(table);
	}
	drb_table_end(table);
}

int topo_schemes(int argc, char **argv)
{
	enum drb_format format = DRB_FORMAT_TABLE;
	const struct drb_options sets[] = {{.option = drb_format_options, &format}, {0}};

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
