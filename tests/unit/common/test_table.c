// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <pty.h>
#include <unistd.h>

#include "common/cli/table.h"

static const struct drb_column columns[] = {
	{"port", NULL, DRB_TEXT, 0}, {"in_packets", "in", DRB_COUNT, 0},
	{"seed", "", DRB_COUNT, 0},  {"latency", "latency slots", DRB_REAL, 2},
	{"note", NULL, DRB_TEXT, 0},
};

static const struct drb_column losses[] = {
	{"port", NULL, DRB_TEXT, 0},    {"missed", NULL, DRB_LOSS, 0}, {"drops", NULL, DRB_LOSS, 0},
	{"trouble", NULL, DRB_TEXT, 0}, {"peer", NULL, DRB_TEXT, 0},   {"pid", NULL, DRB_COUNT, 0},
};

// The same rows in every format.
static char *render(enum drb_format format)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_table *t = drb_table_new(out, format, columns, ARRAY_SIZE(columns));

	drb_table_text(t, "d0");
	drb_table_count(t, 7);
	drb_table_count(t, 1);
	drb_table_real(t, 6.125);
	drb_table_text(t, "plain");
	drb_table_text(t, "u11");
	drb_table_count(t, 1234567890123);
	drb_table_count(t, 1);
	drb_table_real(t, NAN);
	drb_table_text(t, "a \"b\", c");
	drb_table_text(t, "");
	drb_table_nothing(t);
	drb_table_count(t, 2);
	drb_table_real(t, 1e-7);
	drb_table_text(t, NULL);
	drb_table_end(t);
	fclose(out);
	return text;
}

static void check(enum drb_format format, const char *expected)
{
	char *text = render(format);

	assert_string_equal(text, expected);
	free(text);
}

TEST(aligned_table)
{
	check(DRB_FORMAT_TABLE, "port             in  latency slots  note\n"
				"d0                7           6.12  plain\n"
				"u11   1234567890123              -  a \"b\", c\n"
				"-                 -           0.00  -\n");
}

// What a terminal of so many columns shows of a row.
static void check_on_terminal(uint16_t width, const char *expected)
{
	const struct winsize size = {.ws_row = 24, .ws_col = width};
	int terminal, user;
	char shown[1024];
	size_t used = 0;

	assert_int_equal(openpty(&terminal, &user, NULL, NULL, &size), 0);
	FILE *out = fdopen(user, "w");
	struct drb_table *t = drb_table_new(out, DRB_FORMAT_TABLE, losses, ARRAY_SIZE(losses));
	for (int row = 0; row < 2; row++) {
		drb_table_text(t, row ? "d0" : "u11");
		drb_table_count(t, 0);
		drb_table_count(t, row ? 0 : 5);
		drb_table_text(t, "sends frames that are too long for it");
		drb_table_text(t, "h4");
		drb_table_count(t, 12);
	}
	drb_table_end(t);
	fclose(out);
	for (ssize_t n; (n = read(terminal, shown + used, sizeof(shown) - 1 - used)) > 0;)
		used += (size_t)n;
	shown[used] = '\0';
	for (char *from = shown, *to = shown; (*to = *from); from++)
		to += *from != '\r';
	assert_string_equal(shown, expected);
	close(terminal);
}

TEST(width_of_a_terminal)
{
	// Nothing was missed: no column for it.
	check_on_terminal(61, "port  drops  trouble                                peer  pid\n"
			      "u11       5  sends frames that are too long for it  h4     12\n"
			      "d0        0  sends frames that are too long for it  h4     12\n");
	check_on_terminal(60, "port  drops  trouble                                peer\n"
			      "u11       5  sends frames that are too long for it  h4\n"
			      "d0        0  sends frames that are too long for it  h4\n"
			      "Left out (--wide shows all): pid\n");
	// Words go on below.
	check_on_terminal(40, "port  drops  trouble\n"
			      "u11       5  sends frames that are too\n"
			      "             long for it\n"
			      "d0        0  sends frames that are too\n"
			      "             long for it\n"
			      "Left out (--wide shows all): peer, pid\n");
	check_on_terminal(30, "port  drops\n"
			      "u11       5\n"
			      "d0        0\n"
			      "Left out (--wide shows all):\n"
			      "trouble, peer, pid\n");
	drb_table_wide();
	check_on_terminal(
		30, "port  missed  drops  trouble                                peer  pid\n"
		    "u11        0      5  sends frames that are too long for it  h4     12\n"
		    "d0         0      0  sends frames that are too long for it  h4     12\n");
}

TEST(csv)
{
	check(DRB_FORMAT_CSV, "port,in_packets,seed,latency,note\n"
			      "d0,7,1,6.125,plain\n"
			      "u11,1234567890123,1,,\"a \"\"b\"\", c\"\n"
			      ",,2,1e-07,\n");
}

TEST(json)
{
	check(DRB_FORMAT_JSON,
	      "{\"port\":\"d0\",\"in_packets\":7,\"seed\":1,\"latency\":6.125,\"note\":\"plain\"}\n"
	      "{\"port\":\"u11\",\"in_packets\":1234567890123,\"seed\":1,\"latency\":null,"
	      "\"note\":\"a \\\"b\\\", c\"}\n"
	      "{\"port\":\"\",\"in_packets\":null,\"seed\":2,\"latency\":1e-7,\"note\":null}\n");
}

static char *one_cell(enum drb_format format, const char *value)
{
	static const struct drb_column column = {"name", NULL, DRB_TEXT, 0};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_table *t = drb_table_new(out, format, &column, 1);

	if (value)
		drb_table_text(t, value);
	drb_table_end(t);
	fclose(out);
	return text;
}

static void check_cell(enum drb_format format, const char *value, const char *expected)
{
	char *text = one_cell(format, value);

	assert_string_equal(text, expected);
	free(text);
}

TEST(hostile_text_is_harmless)
{
	// Escape sequences stay off the terminal; bytes that are not UTF-8 do not stop JSON.
	check_cell(DRB_FORMAT_TABLE, "\033[2Jx\n", "name\n?[2Jx?\n");
	check_cell(DRB_FORMAT_JSON, "\033x", "{\"name\":\"\\u001Bx\"}\n");
	check_cell(DRB_FORMAT_JSON,
		   "a\xff\xc3"
		   "b",
		   "{\"name\":\"a??b\"}\n");
	check_cell(DRB_FORMAT_JSON, "\xc3\xa4", "{\"name\":\"\xc3\xa4\"}\n");
	check_cell(DRB_FORMAT_CSV, "two\nlines", "name\n\"two\nlines\"\n");
}

static char *two_flags(enum drb_format format)
{
	static const struct drb_column column = {"even", NULL, DRB_FLAG, 0};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_table *t = drb_table_new(out, format, &column, 1);

	drb_table_flag(t, true);
	drb_table_flag(t, false);
	drb_table_end(t);
	fclose(out);
	return text;
}

TEST(flags)
{
	static const char *const expected[] = {
		[DRB_FORMAT_TABLE] = "even\n yes\n  no\n",
		[DRB_FORMAT_CSV] = "even\ntrue\nfalse\n",
		[DRB_FORMAT_JSON] = "{\"even\":true}\n{\"even\":false}\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char *text = two_flags((enum drb_format)i);
		assert_string_equal(text, expected[i]);
		free(text);
	}
}

static char *an_integer(enum drb_format format)
{
	static const struct drb_column column = {"missing", NULL, DRB_INTEGER, 0};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct drb_table *t = drb_table_new(out, format, &column, 1);

	drb_table_integer(t, -3);
	drb_table_integer(t, 0);
	drb_table_end(t);
	fclose(out);
	return text;
}

TEST(integers_have_a_sign_and_no_fraction)
{
	static const char *const expected[] = {
		[DRB_FORMAT_TABLE] = "missing\n     -3\n      0\n",
		[DRB_FORMAT_CSV] = "missing\n-3\n0\n",
		[DRB_FORMAT_JSON] = "{\"missing\":-3}\n{\"missing\":0}\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char *text = an_integer((enum drb_format)i);
		assert_string_equal(text, expected[i]);
		free(text);
	}
}

TEST(no_rows)
{
	check_cell(DRB_FORMAT_TABLE, NULL, "name\n");
	check_cell(DRB_FORMAT_CSV, NULL, "name\n");
	check_cell(DRB_FORMAT_JSON, NULL, "");
}

TEST_MAIN(NULL, NULL)
