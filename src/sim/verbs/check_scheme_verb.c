// SPDX-License-Identifier: BSD-3-Clause
// Checks that schemes have the properties of every scheme, each in a child process of its own.
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/options.h"
#include "common/cli/table.h"
#include "common/schemes/child.h"
#include "common/schemes/properties.h"

#define PATIENCE_MS 10000 // limit for a property, which takes less than a second
#define DECISIONS 20000   // on each kind of switch

struct check_verb {
	const char *list;
	enum drb_format format;
	struct drb_table *table;
	bool failed;
};

// Input of a child.
struct question {
	const struct drb_property *property;
	const struct drb_scheme_variant *variant;
	const char *path;
};

static const struct drb_option options[] = {
	{NULL, "SCHEME[,SCHEME]...", NULL, .kind = DRB_OPTION_TEXT,
	 offsetof(struct check_verb, list)},
	{0},
};

static void row_put(struct check_verb *v, const char *scheme, const struct drb_property *p,
		    const char *result, const char *detail)
{
	drb_table_text(v->table, "scheme", NULL, scheme);
	drb_table_text(v->table, "property", NULL, p->name);
	drb_table_text(v->table, "result", NULL, result);
	drb_table_text(v->table, "detail", NULL, detail);
	drb_table_row_end(v->table);
}

// why: the failure; "": none.
static void put_row(struct check_verb *v, const char *scheme, const struct drb_property *p,
		    const char *why)
{
	row_put(v, scheme, p, *why ? "FAILED" : "ok", *why ? why : p->promise);
	v->failed |= *why != '\0';
}

static void open_it(void *context, char why[DRB_SCHEME_WHY])
{
	const struct question *q = context;
	struct drb_scheme_variant variant;

	if (!drb_scheme_open(q->path, why))
		return;
	if (drb_scheme_read_untried(q->path, &variant, why) == 0)
		drb_scheme_begins(&variant, why);
	else
		why[0] = '\0'; // check_scheme() reports that
}

static void hold_it(void *context, char why[DRB_SCHEME_WHY])
{
	const struct question *q = context;

	if (drb_property_holds(q->property, q->variant, DECISIONS, why) < 0 && !why[0])
		snprintf(why, DRB_SCHEME_WHY, "out of memory");
}

// Returns false if the file is not a scheme, so that nothing else can be checked.
static bool check_interface(struct check_verb *v, const char *text)
{
	static const struct drb_property whole = {
		.name = "interface", .promise = "has all that goes together, and of this version"};
	char path[DRB_SCHEME_TEXT_MAX], why[DRB_SCHEME_WHY] = "";
	const struct question q = {.path = path};

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(text, ":"), text);
	if (strchr(path, '/')) {
		if (access(path, R_OK) < 0)
			drb_die("%s: %m", path);
		drb_child_run(open_it, (void *)(uintptr_t)&q, PATIENCE_MS, why);
	}
	put_row(v, text, &whole, why);
	return !*why;
}

static void check_scheme(struct check_verb *v, const char *text)
{
	struct drb_scheme_variant variant;
	char why[DRB_SCHEME_WHY];

	if (!strchr(text, '/') && drb_scheme_read_untried(text, &variant, why) < 0)
		drb_die("%s", why);
	if (!check_interface(v, text))
		return;
	if (drb_scheme_read_untried(text, &variant, why) < 0)
		drb_die("%s", why);
	for (const struct drb_property *p = drb_properties; p->name; p++) {
		const struct question q = {.property = p, .variant = &variant};
		if (p->is_promised && !p->is_promised(variant.ops)) {
			row_put(v, text, p, NULL, "it does not say so");
			continue;
		}
		const int rc = drb_child_run(hold_it, (void *)(uintptr_t)&q, PATIENCE_MS, why);
		put_row(v, text, p, why);
		if (rc == -ETIMEDOUT)
			return; // other properties would take as long
	}
}

static void check_list(struct check_verb *v)
{
	char text[DRB_SCHEME_TEXT_MAX + 1];

	if (strcmp(v->list, "all") == 0) {
		for (int i = 0; i < DRB_SCHEME_COUNT; i++)
			check_scheme(v, drb_scheme_name((enum drb_scheme)i));
		return;
	}
	for (const char *p = v->list;; p++) {
		size_t len = strcspn(p, ",");
		snprintf(text, sizeof(text), "%.*s", (int)len, p);
		check_scheme(v, text);
		p += len;
		if (!*p)
			return;
	}
}

int sim_check_scheme(int argc, char **argv)
{
	struct check_verb v = {0};
	const struct drb_options sets[] = {
		{.option = options, &v}, {.option = drb_format_options, &v.format}, {0}};

	drb_options_parse(sets,
			  "Checks that schemes have the properties that every scheme needs. "
			  "SCHEME is ./x.so:k=3, drb, or all for the built-in ones.\v"
			  "Each property is tried in a process of its own, with a fixed seed and "
			  "20000 decisions on each of ten kinds of switches. For a property that "
			  "fails, a counter-example is printed, and the exit status is 1.",
			  argc, argv);
	if (!v.list)
		drb_die("no scheme: give one, such as ./x.so");
	v.table = drb_table_new(stdout, v.format);
	check_list(&v);
	drb_table_end(v.table);
	return v.failed ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}
