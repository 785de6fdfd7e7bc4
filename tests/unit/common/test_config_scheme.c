// SPDX-License-Identifier: BSD-3-Clause
// A config gives its scheme as a name, with parameters, or as a shared object.
#include "fixtures/config_files.h"

#include "common/config/settings.h"
#include "common/schemes/load.h"

#define ROUTING(keys) HEAD "routing: {" keys "}\n"

static char copy[96];

// Copies the example's shared object, with times that differ from those of the previous copy.
static void copy_object(void)
{
	char command[512], made[96];

	snprintf(made, sizeof(made), "%s.new", copy);
	snprintf(command, sizeof(command), "cp %s %s && mv %s %s", SPRINKLE, made, made, copy);
	assert_int_equal(system(command), 0);
}

TEST(what_a_scheme_says_of_itself_holds)
{
	struct drb_setup s = good(ROUTING("scheme: drb, threshold: 3, choices: 5"));

	assert_string_equal(s.scheme.text, "drb");
	assert_int_equal(s.scheme.like, DRB_SCHEME_DRB);
	assert_true(s.threshold == 3 && s.choice.choices == 5);
	s = good(ROUTING("scheme: \"drb:threshold=0.5:choices=4\", threshold: auto, choices: 5"));
	assert_string_equal(s.scheme.text, "drb:threshold=0.5:choices=4");
	assert_int_equal(s.scheme.like, DRB_SCHEME_DRB);
	assert_true(s.threshold == 0.5 && s.choice.choices == 4 && !s.threshold_auto);
	assert_int_equal(s.choice.margin, 1);
	s = good(ROUTING("scheme: drb:choices=4, threshold: auto"));
	assert_true(s.threshold_auto && s.choice.choices == 4);
}

TEST(mistakes)
{
	static const struct mistake mistakes[] = {
		{ROUTING("scheme: drb:choices"),
		 ":5: routing.scheme: drb: 'choices' must be KEY=VALUE"},
		{ROUTING("scheme: drb:k=2"), ":5: routing.scheme: scheme drb has no parameter 'k'"},
		{ROUTING("scheme: micro:threshold=1"),
		 ":5: routing.scheme: scheme micro has no parameter 'threshold'"},
		{ROUTING("scheme: drb:choices=65"),
		 ":5: routing.scheme: drb: choices must be a number from 2 to 64"},
		{ROUTING("scheme: ./x.so"),
		 ":5: routing.scheme: \"./x.so\": a shared object needs its whole path"},
		{ROUTING("scheme: ars:config=x.json"),
		 ":5: routing.scheme: \"ars:config=x.json\": a file needs its whole path"},
		{ROUTING("scheme: /nowhere/x.so:k=1"),
		 ":5: routing.scheme: cannot load it: /nowhere/x.so: cannot open shared object "
		 "file: "
		 "No such file or directory"},
		{ROUTING("scheme: /dev/null"),
		 ":5: routing.scheme: cannot load it: /dev/null: file too short"},
		{ROUTING("scheme: " SPRINKLE ":k=17"),
		 ":5: routing.scheme: sprinkle: k must be a number from 1 to 16"},
		{ROUTING("scheme: walk:choices=3, unit: flow"),
		 ":5: routing.unit: \"flow\": scheme walk decides on packets only"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

// This test is the last one, because the process loads no more objects afterwards.
TEST(objects_are_those_of_the_start)
{
	struct drb_settings set = {0};
	char text[512], kept[256], message[512];
	struct drb_setup now, then;

	snprintf(copy, sizeof(copy), "%.*s/own.so", (int)(strrchr(file, '/') - file), file);
	copy_object();
	snprintf(text, sizeof(text), ROUTING("scheme: %s:k=2:threshold=7"), copy);
	now = good(text);
	assert_int_equal(now.scheme.like, DRB_SCHEME_COUNT);
	assert_string_equal(now.choice.ops->name, "sprinkle");
	assert_true(now.threshold == 7 && now.scheme.param[0] == 2);
	drb_scheme_objects_end();

	snprintf(text, sizeof(text), ROUTING("scheme: %s:k=4"), copy);
	then = good(text);
	assert_true(then.scheme.param[0] == 4 && then.choice.ops == now.choice.ops);
	assert_int_equal(drb_config_keep(file, &now, &then, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "");
	copy_object();
	assert_int_equal(drb_config_keep(file, &now, &then, kept, sizeof(kept)), 0);
	assert_string_equal(kept, "routing.scheme");

	snprintf(text, sizeof(text), "scheme=%s:k=3", copy);
	assert_int_equal(drb_settings_add(&set, text), 0);
	assert_int_equal(drb_settings_apply(&set, &then), 0);
	drb_settings_describe(&set, &now, &then, message, sizeof(message));
	snprintf(text, sizeof(text), "scheme %s:k=2:threshold=7 -> %s:k=3", copy, copy);
	assert_memory_equal(message, text, strlen(text));

	bad(ROUTING("scheme: /nowhere/else.so"),
	    ":5: routing.scheme: /nowhere/else.so: was not loaded when the program started, and "
	    "cannot be now: restart it");
	unlink(copy);
}

TEST_MAIN(make_dir, remove_dir)
