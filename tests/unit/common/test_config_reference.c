// SPDX-License-Identifier: BSD-3-Clause
// docs/reference/config.md has the table of keys as in keys.def, section by section, below a line
// "<!-- keys of SECTION -->". The table of schemes is below "<!-- schemes -->". With --write the
// tables are written instead of compared.
#include "fixtures/unit.h"

#include "common/config/keys.h"
#include "core/schemes/schemes.h"

#define REFERENCE DRB_SOURCE_ROOT "/docs/reference/config.md"

static bool writing;

static const char *reload_text(enum drb_config_reload reload)
{
	switch (reload) {
	case DRB_RELOAD_AT_ONCE:
		return "at once";
	case DRB_RELOAD_RESTART:
		return "restart";
	case DRB_RELOAD_REFUSED:
		return "refused";
	case DRB_RELOAD_WITH_UNIT:
		return "with another `unit`";
	case DRB_RELOAD_WITHIN_BUFFERS:
		return "while buffers suffice";
	}
	return NULL;
}

static void put_row(FILE *out, const struct drb_config_key *key)
{
	char range[DRB_CONFIG_WHY];

	drb_config_range(key, range);
	fprintf(out, "| `%s` | %s | ", key->name, range);
	if (key->initial)
		fprintf(out, "`%s`", key->initial);
	else
		fprintf(out, "%s", key->required ? "required" : key->derived);
	fprintf(out, " | %s | ", reload_text(key->reload));
	if (key->option) {
		fprintf(out, "`--");
		for (const char *c = key->name; *c; c++)
			fputc(*c == '_' ? '-' : *c, out);
		fprintf(out, "` ");
	}
	fprintf(out, "| %s |\n", key->meaning);
}

// The table of a section. The caller frees it.
static char *table(enum drb_config_section section)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "| key | value | default | reload | option | meaning |\n"
		     "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		if (drb_config_keys[i].section == section)
			put_row(out, &drb_config_keys[i]);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

// The text of the file. The caller frees it.
static char *read_readme(void)
{
	FILE *f = fopen(REFERENCE, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

// Replaces the text between begin and end by a table.
static void write_readme(const char *text, const char *begin, const char *end, const char *instead)
{
	FILE *f = fopen(REFERENCE, "w");

	assert_non_null(f);
	fprintf(f, "%.*s%s%s", (int)(begin - text), text, instead, end);
	assert_int_equal(fclose(f), 0);
}

// Checks, or writes, the table below the line mark. Frees the table.
static void has_table(const char *mark, char *want)
{
	char *text = read_readme();
	const char *begin = strstr(text, mark);

	if (!begin)
		fail_msg(REFERENCE ": there is no line %s", mark);
	begin += strlen(mark);
	const char *end = *begin == '\n' ? begin : strstr(begin, "\n\n");
	assert_non_null(end);
	end += *begin != '\n';
	if (writing)
		write_readme(text, begin, end, want);
	else if (strlen(want) != (size_t)(end - begin) || memcmp(begin, want, strlen(want)) != 0)
		fail_msg(REFERENCE ": %sis not as the source says; "
				   "test_config_reference --write makes it so:\n%s",
			 mark, want);
	free(text);
	free(want);
}

TEST(readme_has_every_key)
{
	for (int i = 0; i < DRB_SECTION_COUNT; i++) {
		char mark[64];
		snprintf(mark, sizeof(mark), "<!-- keys of %s -->\n",
			 drb_config_section_name((enum drb_config_section)i));
		has_table(mark, table((enum drb_config_section)i));
	}
}

TEST(readme_has_every_scheme)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "| scheme | uplink |\n|---|---|\n");
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		fprintf(out, "| `%s` | %s |\n", ops->name, ops->help);
	}
	assert_int_equal(fclose(out), 0);
	has_table("<!-- schemes -->\n", text);
}

int main(int argc, char **argv)
{
	writing = argc > 1 && strcmp(argv[1], "--write") == 0;
	return test_all(NULL, NULL);
}
