// SPDX-License-Identifier: BSD-3-Clause
// Settings of drbctl set: keys of routing that can change. They are added one after another, and
// applied to the setup from a file.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "common/config/settings.h"

static const char file[] = "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n";

TEST(settings_add_up)
{
	struct drb_settings s = {0};
	struct drb_setup setup;
	assert_int_equal(drb_config_load_text("f", file, strlen(file), &setup), 0);
	assert_int_equal(drb_settings_add(&s, "threshold=3.5 scheme=micro"), 0);
	assert_int_equal(drb_settings_add(&s, " threshold=1 "), 0);
	assert_int_equal(s.count, 2);
	assert_int_equal(drb_settings_apply(&s, &setup), 0);
	assert_int_equal(setup.scheme.like, DRB_SCHEME_MICRO);
	assert_true(setup.threshold > 0.99 && setup.threshold < 1.01);
}

TEST(changes_are_described)
{
	struct drb_settings named = {0};
	struct drb_setup before, after;
	char text[256];
	assert_int_equal(drb_config_load_text("f", file, strlen(file), &before), 0);
	after = before;
	assert_int_equal(drb_settings_add(&named, "threshold=auto flow_idle=90s scheme=drb"), 0);
	assert_int_equal(drb_settings_apply(&named, &after), 0);
	drb_settings_describe(&named, &before, &after, text, sizeof(text));
	assert_string_equal(text,
			    "scheme drb as before, threshold 2 -> auto, flow_idle 30s -> 90s");
	drb_settings_describe(&named, &before, &after, text, 12);
	assert_string_equal(text, "scheme drb ");
}

// The printed text of a value reads back as the value.
TEST(values_are_told_as_they_are_read)
{
	static const char *const texts[] = {
		"scheme=ecmp",  "threshold=0.125",   "threshold=auto",  "choices=3",
		"unit=flowlet", "flow_grace=1500us", "check_source=off"};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct drb_settings s = {0};
		struct drb_setup setup;
		char value[DRB_CONFIG_VALUE];
		assert_int_equal(drb_config_load_text("f", file, strlen(file), &setup), 0);
		assert_int_equal(drb_settings_add(&s, texts[i]), 0);
		assert_int_equal(drb_settings_apply(&s, &setup), 0);
		drb_config_value(s.at[0].key, &setup, value);
		assert_string_equal(value, strchr(texts[i], '=') + 1);
	}
}

TEST(mistakes_are_refused)
{
	static char long_word[2 * DRB_SETTING_VALUE_MAX];
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "what?"},
		{"threshold", "KEY=VALUE"},
		{"threshold=", "KEY=VALUE"},
		{"=3", "no key of routing"},
		{"rate=5pps", "no key of routing"},
		{"seed=3", "cannot change"},
		{long_word, "too long"},
	};
	snprintf(long_word, sizeof(long_word), "threshold=%0*d", DRB_SETTING_VALUE_MAX, 3);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_settings s = {0};
		assert_int_equal(drb_settings_add(&s, cases[i].text), -EINVAL);
		if (!strstr(drb_msg_last(), cases[i].says))
			fail_msg("%s: said %s", cases[i].text, drb_msg_last());
	}
}

TEST(bad_values_are_refused)
{
	struct drb_settings s = {0};
	struct drb_setup setup;
	assert_int_equal(drb_config_load_text("f", file, strlen(file), &setup), 0);
	assert_int_equal(drb_settings_add(&s, "scheme=best"), 0);
	assert_int_equal(drb_settings_apply(&s, &setup), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "set: routing.scheme: "));
}

// Parameters of a scheme have priority, so a setting of the same key would have no effect.
TEST(settings_that_would_do_nothing_are_refused)
{
	static const struct {
		const char *settings, *says;
	} cases[] = {
		{"scheme=drb:threshold=1 threshold=3",
		 "routing.threshold: scheme drb:threshold=1 has its own"},
		{"choices=2 scheme=walk:choices=4",
		 "routing.choices: scheme walk:choices=4 has its own"},
		{"scheme=drb:choices=4 threshold=3", NULL},
		{"scheme=drb:threshold=1", NULL},
		{"threshold=auto choices=3", NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_settings s = {0};
		struct drb_setup setup;
		assert_int_equal(drb_config_load_text("f", file, strlen(file), &setup), 0);
		assert_int_equal(drb_settings_add(&s, cases[i].settings), 0);
		assert_int_equal(drb_settings_apply(&s, &setup), 0);
		assert_int_equal(drb_settings_check(&s, &setup), cases[i].says ? -EINVAL : 0);
		if (cases[i].says && !strstr(drb_msg_last(), cases[i].says))
			fail_msg("%s: said %s", cases[i].settings, drb_msg_last());
	}
}

TEST_MAIN(NULL, NULL)
