// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <pty.h>
#include <unistd.h>

#include "common/cli/colour.h"
#include "common/cli/table.h"

static struct drb_table *table;
static char *text;
static size_t size;

static FILE *out_of(enum drb_format format)
{
	FILE *out = open_memstream(&text, &size);

	table = drb_table_new(out, format);
	return out;
}

static void is_printed(FILE *out, const char *expected)
{
	drb_table_end(table);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void put_row(const char *port, const char *note, double latency)
{
	drb_table_text(table, "port", NULL, port);
	if (*port)
		drb_table_count(table, "in_packets", "in", *port == 'd' ? 7 : 1234567890123);
	else
		drb_table_count(table, "in_packets", "in", DRB_UNKNOWN);
	drb_table_count(table, "seed", "", 1);
	drb_table_real(table, "latency", "latency slots", 2, latency);
	drb_table_text(table, "note", NULL, note);
	drb_table_row_end(table);
}

// The same rows in every format.
static void check(enum drb_format format, const char *expected)
{
	FILE *out = out_of(format);

	put_row("d0", "plain", 6.125);
	put_row("u11", "a \"b\", c", NAN);
	put_row("", NULL, 1e-7);
	is_printed(out, expected);
}

TEST(aligned_table)
{
	check(DRB_FORMAT_TABLE, "port             in  latency slots  note\n"
				"d0                7           6.12  plain\n"
				"u11   1234567890123              -  a \"b\", c\n"
				"-                 -           0.00  -\n");
}

// A row of values, two of them with a meaning. A table leaves out the count without a heading and
// the loss of 0.
static void put_values(void)
{
	drb_table_meaning(table, "which one");
	drb_table_text(table, "switch", NULL, "s1-0");
	drb_table_count(table, "time_ns", "", 5);
	drb_table_loss(table, "missed", NULL, 0);
	drb_table_meaning(table, "share of packets");
	drb_table_real(table, "redirected", "redirected %", 1, 12.5);
	drb_table_row_end(table);
}

TEST(one_below_the_other)
{
	FILE *out = out_of(DRB_FORMAT_TABLE);

	drb_table_below(table);
	put_values();
	is_printed(out, "name        value  meaning\n"
			"switch       s1-0  which one\n"
			"redirected   12.5  share of packets\n");
	out = out_of(DRB_FORMAT_CSV);
	drb_table_below(table);
	put_values();
	is_printed(out, "switch,time_ns,missed,redirected\ns1-0,5,0,12.5\n");
}

// Prints a table to a terminal of this width. Returns what it showed, without carriage returns.
static const char *shown_on_terminal(unsigned short width, void (*put_rows)(void))
{
	const struct winsize window = {.ws_row = 24, .ws_col = width};
	static char shown[1024];
	int terminal, user;
	size_t used = 0;

	assert_int_equal(openpty(&terminal, &user, NULL, NULL, &window), 0);
	FILE *out = fdopen(user, "w");
	table = drb_table_new(out, DRB_FORMAT_TABLE);
	put_rows();
	drb_table_end(table);
	fclose(out);
	for (ssize_t n; (n = read(terminal, shown + used, sizeof(shown) - 1 - used)) > 0;)
		used += (size_t)n;
	shown[used] = '\0';
	for (char *from = shown, *to = shown; (*to = *from); from++)
		to += *from != '\r';
	close(terminal);
	return shown;
}

static void put_troubles(void)
{
	for (int row = 0; row < 2; row++) {
		drb_table_text(table, "port", NULL, row ? "d0" : "u11");
		drb_table_loss(table, "missed", NULL, 0);
		drb_table_loss(table, "drops", NULL, row ? 0 : 5);
		drb_table_text(table, "trouble", NULL, "sends frames that are too long for it");
		drb_table_text(table, "peer", NULL, "h4");
		drb_table_count(table, "pid", NULL, 12);
		drb_table_row_end(table);
	}
}

static void check_on_terminal(unsigned short width, const char *expected)
{
	assert_string_equal(shown_on_terminal(width, put_troubles), expected);
}

static void put_states(void)
{
	for (int row = 0; row < 2; row++) {
		drb_table_text(table, "switch", NULL, row ? "s1-0" : "s1-11");
		drb_table_bad(table, row == 1);
		drb_table_text(table, "state", NULL, row ? "dead" : "running");
		drb_table_bad(table, row == 0);
		drb_table_count(table, "drops", NULL, row ? 0 : 5);
		drb_table_bad(table, row == 1);
		drb_table_text(table, "how", NULL, row ? "killed" : "");
		drb_table_row_end(table);
	}
}

#define BAD(text) "\033[1;31m" text "\033[0m"

// Emphasis changes no column. Without a terminal there is none, unless it is asked for.
TEST(what_is_wrong_stands_out)
{
	const char *emphasised =
		"switch  state    drops  how\n"
		"s1-11   running  " BAD("    5") "  -\n"
						 "s1-0    " BAD("dead   ") "      0  " BAD(
							 "killed") "\n";
	const char *plain = "switch  state    drops  how\n"
			    "s1-11   running      5  -\n"
			    "s1-0    dead         0  killed\n";

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	assert_string_equal(shown_on_terminal(80, put_states), emphasised);
	setenv("TERM", "dumb", 1);
	assert_string_equal(shown_on_terminal(80, put_states), plain);
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "", 1);
	assert_string_equal(shown_on_terminal(80, put_states), emphasised);
	setenv("NO_COLOR", "1", 1);
	assert_string_equal(shown_on_terminal(80, put_states), plain);
	drb_colour_set(DRB_COLOUR_ALWAYS);
	assert_string_equal(shown_on_terminal(80, put_states), emphasised);
	FILE *out = out_of(DRB_FORMAT_TABLE);
	put_states();
	is_printed(out, emphasised);
	out = out_of(DRB_FORMAT_CSV);
	put_states();
	is_printed(out, "switch,state,drops,how\ns1-11,running,5,\ns1-0,dead,0,killed\n");
	drb_colour_set(DRB_COLOUR_NEVER);
	unsetenv("NO_COLOR");
	assert_string_equal(shown_on_terminal(80, put_states), plain);
	drb_colour_set(DRB_COLOUR_AUTO);
	out = out_of(DRB_FORMAT_TABLE);
	put_states();
	is_printed(out, plain);
}

TEST(width_of_a_terminal)
{
	// Nothing was missed, so there is no column for it.
	check_on_terminal(61, "port  drops  trouble                                peer  pid\n"
			      "u11       5  sends frames that are too long for it  h4     12\n"
			      "d0        0  sends frames that are too long for it  h4     12\n");
	check_on_terminal(60, "port  drops  trouble                                peer\n"
			      "u11       5  sends frames that are too long for it  h4\n"
			      "d0        0  sends frames that are too long for it  h4\n"
			      "Left out (--wide shows all): pid\n");
	// Long texts continue on the next line.
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
			      ",,1,1e-07,\n");
}

TEST(json)
{
	check(DRB_FORMAT_JSON,
	      "{\"port\":\"d0\",\"in_packets\":7,\"seed\":1,\"latency\":6.125,\"note\":\"plain\"}\n"
	      "{\"port\":\"u11\",\"in_packets\":1234567890123,\"seed\":1,\"latency\":null,"
	      "\"note\":\"a \\\"b\\\", c\"}\n"
	      "{\"port\":\"\",\"in_packets\":null,\"seed\":1,\"latency\":1e-7,\"note\":null}\n");
}

static void check_cell(enum drb_format format, const char *value, const char *expected)
{
	FILE *out = out_of(format);

	drb_table_text(table, "name", NULL, value);
	drb_table_row_end(table);
	is_printed(out, expected);
}

TEST(hostile_text_is_harmless)
{
	// Escape sequences do not reach the terminal. Bytes that are not UTF-8 do not prevent JSON
	// output.
	check_cell(DRB_FORMAT_TABLE, "\033[2Jx\n", "name\n?[2Jx?\n");
	check_cell(DRB_FORMAT_JSON, "\033x", "{\"name\":\"\\u001Bx\"}\n");
	check_cell(DRB_FORMAT_JSON,
		   "a\xff\xc3"
		   "b",
		   "{\"name\":\"a??b\"}\n");
	check_cell(DRB_FORMAT_JSON, "\xc3\xa4", "{\"name\":\"\xc3\xa4\"}\n");
	check_cell(DRB_FORMAT_CSV, "two\nlines", "name\n\"two\nlines\"\n");
}

TEST(flags_and_integers)
{
	static const char *const expected[] = {
		[DRB_FORMAT_TABLE] = "even  missing\n yes       -3\n  no        0\n",
		[DRB_FORMAT_CSV] = "even,missing\ntrue,-3\nfalse,0\n",
		[DRB_FORMAT_JSON] =
			"{\"even\":true,\"missing\":-3}\n{\"even\":false,\"missing\":0}\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		FILE *out = out_of((enum drb_format)i);
		for (int row = 0; row < 2; row++) {
			drb_table_flag(table, "even", NULL, row == 0);
			drb_table_integer(table, "missing", NULL, row ? 0 : -3);
			drb_table_row_end(table);
		}
		is_printed(out, expected[i]);
	}
}

TEST(no_rows)
{
	for (int format = DRB_FORMAT_TABLE; format <= DRB_FORMAT_JSON; format++)
		is_printed(out_of((enum drb_format)format), "");
}

TEST_MAIN(NULL, NULL)
