// SPDX-License-Identifier: BSD-3-Clause
// drbtopo schemes: prints the table of routing schemes, for users and for programs.
#include "plan/verbs.h"

#include <math.h>

#include "core/schemes/schemes.h"

#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "common/cli/table.h"
#include "common/schemes/load.h"

static const char *const compared[] = {
	[DRB_COMPARES_NONE] = "none", [DRB_COMPARES_TWO] = "two", [DRB_COMPARES_ALL] = "all"};

static const char *or_initial(const char *of_scheme, const char *otherwise)
{
	return of_scheme ? of_scheme : otherwise;
}

// names: adds a column with the name that other tables have for the scheme. For a scheme of this
// repository, it is the name by which the scheme is given.
static void schemes_print(const struct drb_scheme_list *list, bool names, enum drb_format format)
{
	struct drb_table *table = drb_table_new(stdout, format);

	for (uint32_t i = 0; i < list->count; i++) {
		const enum drb_scheme scheme = list->scheme[i];
		const struct drb_scheme_ops *ops = drb_scheme_ops(scheme);
		const struct drb_scheme_variant *variant = drb_scheme_variant(scheme);
		const bool own = variant && !isnan(variant->threshold);
		drb_table_text(table, "scheme", NULL, variant ? variant->text : ops->name);
		drb_table_text(table, "compares", "compares queues of", compared[ops->compares]);
		drb_table_flag(table, "threshold", NULL, drb_scheme_has_threshold(scheme) && !own);
		drb_table_flag(table, "flows", "flows and flowlets",
			       !drb_scheme_packets_only(scheme));
		drb_table_text(table, "colour", NULL, or_initial(ops->colour, "#666666"));
		drb_table_text(table, "symbol", NULL, or_initial(ops->symbol, "o"));
		drb_table_text(table, "meaning", NULL, ops->help);
		if (names)
			drb_table_text(table, "name", NULL, drb_scheme_name(scheme));
		drb_table_row_end(table);
	}
	drb_table_end(table);
}

static const struct drb_option options[] = {
	{"--scheme", "LIST",
	 "Only these, with their names in tables; also shared objects, ./x.so, and variants, "
	 "drb:choices=4",
	 .kind = DRB_OPTION_TEXT, 0},
	{0},
};

int topo_schemes(int argc, char **argv)
{
	const char *text = NULL;
	enum drb_format format = DRB_FORMAT_TABLE;
	struct drb_scheme_list list;
	char why[DRB_SCHEME_WHY];
	const struct drb_options sets[] = {
		{.option = options, &text}, {.option = drb_format_options, &format}, {0}};

	drb_options_parse(
		sets,
		"Lists the routing schemes: how many uplinks a decision compares, whether it "
		"uses the threshold T, and whether it can hold for flows and flowlets as well as "
		"for packets. Figures use its colour and its symbol (matplotlib's).",
		argc, argv);
	for (list.count = 0; !text && list.count < DRB_SCHEME_COUNT; list.count++)
		list.scheme[list.count] = (enum drb_scheme)list.count;
	if (text && drb_schemes_of_text(text, &list, why) < 0)
		drb_die("%s %s: %s", "--scheme", text, why);
	schemes_print(&list, text, format);
	return DRB_EXIT_OK;
}
