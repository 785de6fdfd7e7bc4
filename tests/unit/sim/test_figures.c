// SPDX-License-Identifier: BSD-3-Clause
// Pictures: what text becomes for gnuplot, which mistakes are told, and the look of schemes.
#include "fixtures/unit.h"

#include "core/routing/schemes.h"
#include "fixtures/text.h"
#include "sim/figures/script.h"
#include "sim/figures/style.h"

static int script_of(const char *text, char **script, char message[SIM_FIGURE_TEXT])
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	size_t size = 0;
	FILE *out = open_memstream(script, &size);

	assert_non_null(in);
	assert_non_null(out);
	int rc = sim_figures_script(in, out, message);
	fclose(in);
	fclose(out);
	return rc;
}

#define LINES_HEAD                                                                                 \
	"figure\tone\tlines\ntitle\tIt's a title\ncaption\tFig. 4\nx\tload\ny\tslots\tlog\t5\n"

TEST(lines_have_bars_and_what_grows_stands_alone)
{
	char *script = NULL, message[SIM_FIGURE_TEXT];

	assert_int_equal(
		script_of(LINES_HEAD
			  "series\tdrb\tdrb\npoint\t0.5\t6\t0.25\npoint\t0.9\t12\t1\tgrows\n"
			  "series\tmicro\tmicro\tdashed\npoint\t0.5\t7\n",
			  &script, message),
		0);
	assert_non_null(strstr(script, "0.5 6 0.25 0\n0.9 12 1 1\nEOD"));
	assert_non_null(strstr(script, "set title 'It''s a title'"));
	assert_non_null(strstr(script, "set logscale y"));
	assert_non_null(strstr(script, "set yrange [5:*]"));
	// Twice, as SVG and as PDF: with bars, those that grow apart, and only for the scheme that does.
	assert_int_equal(times_in(script, "with yerrorlines"), 4);
	assert_int_equal(times_in(script, "1:($4>0?$2:NaN) with points"), 2);
	assert_int_equal(times_in(script, "queues grow: no mean"), 2);
	assert_int_equal(times_in(script, "set output 'one.svg'"), 1);
	assert_int_equal(times_in(script, "set output 'one.pdf'"), 1);
	int known;
	assert_non_null(strstr(script, sim_look_of("micro", &known).colour));
	free(script);
}

TEST(panels_share_a_key)
{
	char *script = NULL, message[SIM_FIGURE_TEXT];

	assert_int_equal(
		script_of(LINES_HEAD
			  "panel\ta\nseries\tdrb\tdrb\npoint\t1\t2\npanel\tb\nseries\tdrb\tdrb\n"
			  "point\t1\t3\n",
			  &script, message),
		0);
	assert_int_equal(times_in(script, "set multiplot layout 1,3"), 2);
	assert_int_equal(times_in(script, "keyentry"), 2);
	free(script);
}

TEST(mistakes_are_told_by_line)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"title\tno figure\n", "line 1: the first line"},
		{"figure\t../x\tlines\n", "line 1: figure NAME KIND"},
		{"figure\tx\tpie\n", "line 1: the kind is"},
		{LINES_HEAD "point\t1\t2\n", "line 6: point X Y"},
		{LINES_HEAD "series\tdrb\tbest\n", "line 6: the look"},
		{LINES_HEAD "series\tdrb\tdrb\npoint\t1\ttwo\n", "line 7: a point has numbers"},
		{LINES_HEAD "nonsense\tx\n", "line 6: no figure, title"},
		{"figure\tx\tbars\nseries\ta\tink\npoint\ta\"b\t1\n", "line 3: a name"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *script = NULL, message[SIM_FIGURE_TEXT] = "";
		assert_int_equal(script_of(wrong[i].text, &script, message), -EINVAL);
		if (strncmp(message, wrong[i].message, strlen(wrong[i].message)) != 0)
			fail_msg("%zu: '%s'", i, message);
		free(script);
	}
}

// A scheme has one colour, and no other has it.
TEST(schemes_have_looks_of_their_own)
{
	int known;

	for (int a = 0; a < DRB_SCHEME_COUNT; a++) {
		struct sim_look look = sim_look_of(drb_scheme_name((enum drb_scheme)a), &known);
		assert_true(known);
		assert_string_not_equal(look.colour, sim_look_of("drb T=0", &known).colour);
		for (int b = 0; b < a; b++)
			assert_string_not_equal(
				look.colour,
				sim_look_of(drb_scheme_name((enum drb_scheme)b), &known).colour);
	}
	sim_look_of("nothing", &known);
	assert_false(known);
}

TEST(captions_are_found)
{
	char text[] = LINES_HEAD "figure\ttwo\tbars\ncaption\tFig. 5\n", caption[SIM_FIGURE_LINE];
	FILE *f = fmemopen(text, strlen(text), "r");

	assert_true(sim_figures_caption(f, "two", caption));
	assert_string_equal(caption, "Fig. 5");
	rewind(f);
	assert_false(sim_figures_caption(f, "three", caption));
	fclose(f);
}

TEST_MAIN(NULL, NULL)
