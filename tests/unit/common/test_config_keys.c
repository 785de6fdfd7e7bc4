// SPDX-License-Identifier: BSD-3-Clause
// The table of keys contradicts neither itself nor the tables derived from it.
#include "fixtures/config_files.h"

#include <inttypes.h>

#include "common/config/format.h"

// Every row has the fields that it must have, and its default is a valid value of the key.
TEST(rows_are_whole)
{
	char why[DRB_CONFIG_WHY];
	struct drb_port_setup port;
	struct drb_setup setup;

	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *k = &drb_config_keys[i];
		bool of_port = k->section == DRB_SECTION_LINK || k->section == DRB_SECTION_PORTS;
		if (!!k->initial + !!k->derived + k->required != 1)
			fail_msg("%s: one of default, derived, required", k->name);
		if (k->initial &&
		    drb_config_parse(k, k->initial, of_port ? (void *)&port : &setup, why))
			fail_msg("%s: default: %s", k->name, why);
		if (k->at + k->size > (of_port ? sizeof(port) : sizeof(setup)))
			fail_msg("%s: member", k->name);
		if (k->type == DRB_VALUE_TEXT && k->max >= k->size)
			fail_msg("%s: its member is too small for %d characters", k->name,
				 (int)k->max);
		if (k->min > k->max || !*k->meaning || k->reload < DRB_RELOAD_AT_ONCE)
			fail_msg("%s: range, meaning or reload", k->name);
		uint32_t together = of_port ? 1u << DRB_SECTION_LINK | 1u << DRB_SECTION_PORTS
					    : 1u << k->section;
		assert_ptr_equal(drb_config_key(together, k->name), k);
		assert_ptr_not_equal(drb_config_key(~together, k->name), k);
	}
}

static union {
	struct drb_setup setup;
	struct drb_port_setup port;
} to;

static void takes(const struct drb_config_key *k, const char *text, uint64_t want)
{
	char why[DRB_CONFIG_WHY];
	uint64_t got = 0;

	memset(&to, 0xff, sizeof(to));
	if (drb_config_parse(k, text, &to, why) < 0)
		fail_msg("%s: %s", k->name, why);
	memcpy(&got, (const char *)&to + k->at, k->size);
	if (got != want)
		fail_msg("%s: %s is %llu", k->name, text, (unsigned long long)got);
}

static void refuses(const struct drb_config_key *k, const char *text, const char *want)
{
	char why[DRB_CONFIG_WHY] = "";

	if (drb_config_parse(k, text, &to, why) != -EINVAL || !strstr(why, want))
		fail_msg("%s: %.32s: said \"%s\", not \"%s\"", k->name, text, why, want);
}

// Accepts both ends of a key's range and refuses the values just beyond them. unit: "" or "ns".
static void has_ends(const struct drb_config_key *k, const char *unit, const char *refusal)
{
	const uint64_t ends[] = {k->min, k->max};
	char text[64];

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%" PRIu64 "%s", ends[i], unit);
		takes(k, text, ends[i]);
		snprintf(text, sizeof(text), "%" PRIu64 "%s", i ? ends[i] + 1 : ends[i] - 1, unit);
		if (i || ends[i] > 0)
			refuses(k, text, refusal);
	}
}

TEST(rows_say_what_a_value_may_be)
{
	static char text[2048], why[DRB_CONFIG_WHY];

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < DRB_CONFIG_KEYS; i++) {
		const struct drb_config_key *k = &drb_config_keys[i];
		char range[64];
		snprintf(range, sizeof(range), " is not in %" PRIu64 "..%" PRIu64, k->min, k->max);
		if (k->type == DRB_VALUE_NUMBER && !k->range) {
			has_ends(k, "", range);
			refuses(k, "1x", "\"1x\" is not a whole number");
		} else if (k->type == DRB_VALUE_TIME) {
			has_ends(k, "ns", "is not a time of ");
			refuses(k, "30", "\"30\" is not a time of ");
		} else if (k->type == DRB_VALUE_WORD) {
			refuses(k, "x", "\"x\" is none of ");
			for (uint32_t w = 0; k->word(w); w++)
				takes(k, k->word(w), w);
		} else if (k->type == DRB_VALUE_TEXT) {
			refuses(k, text, "longer than ");
			assert_int_equal(
				drb_config_parse(k, text + sizeof(text) - 1 - k->max, &to, why), 0);
		}
	}
}

// Every value that a file can hold is read back as written, whatever its meaning in YAML.
TEST(texts_survive)
{
	static const char *const names[] = {"a",    "no",   "2",   "1.5",
					    "0x10", "null", "1e3", "2026-01-01"};
	static const char *const devices[] = {"02:00", "x: y", "a # b", "'",  "\"",   "{",
					      "- a",   "&a",   "*a",    "!t", "%",    "@",
					      " a",    "a ",   "a,b",   "\\", "a\tb", "\xc3\xa4"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct drb_config_values values = {0};
		struct drb_setup s;
		char *text = NULL;
		size_t length;
		drb_config_set(&values, "fabric.name", names[i]);
		drb_config_set(&values, "fabric.layers", "1");
		drb_config_set(&values, "fabric.arity", "1");
		drb_config_set(&values, "switch.layer", "1");
		drb_config_set(&values, "switch.label", "0");
		for (size_t j = 0; j < ARRAY_SIZE(devices); j++) {
			drb_config_set(&values, "process.memif_dir", devices[j]);
			assert_int_equal(drb_config_format(&values, &text, &length), 0);
			if (drb_config_load_text("text", text, length, &s) < 0)
				fail_msg("%s", text);
			assert_non_null(strstr(text, "\nrouting: {}\nlink: {}\n"));
			free(text);
			assert_string_equal(s.fabric, names[i]);
			assert_string_equal(s.memif_dir, devices[j]);
		}
	}
}

TEST_MAIN(make_dir, remove_dir)
