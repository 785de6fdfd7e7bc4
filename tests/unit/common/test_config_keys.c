// SPDX-License-Identifier: BSD-3-Clause
// The table of keys: it contradicts neither itself nor what is derived from it.
#include "fixtures/config_files.h"

#include "common/config/format.h"

// Every row says what it must, and its default is a value of the key.
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

// What drbtopo writes comes back as it was meant.
TEST(save_then_load)
{
	static const struct {
		const char *path, *text;
	} given[] = {
		{"fabric.name", "f"},        {"fabric.layers", "3"},
		{"fabric.arity", "2"},       {"fabric.mac", "02:0a"},
		{"switch.layer", "1"},       {"switch.label", "7"},
		{"routing.scheme", "micro"}, {"routing.threshold", "1.5"},
		{"routing.choices", "2"},    {"routing.unit", "flow"},
		{"routing.flow_idle", "5s"}, {"routing.seed", "9223372036854775807"},
		{"link.rate", "500pps"},     {"routing.check_source", "off"},
		{"link.queue", "100"},       {"link.overhead", "24"},
		{"link.catchup", "3ms"},     {"process.idle", "poll"},
		{"process.burst", "16"},     {"process.memory", "48"},
		{"process.cpus", "0"},
	};
	static const char ports[] = "ports:\n  - {name: d0, interface: sw-1, rate: none}\n"
				    "  - {name: u1, driver: vdev, device: \"net_null0,size=64\"}\n";
	struct drb_config_values values = {0};
	char *text = NULL, whole[2048];
	struct drb_setup s;
	size_t length;

	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		drb_config_set(&values, given[i].path, given[i].text);
		assert_string_equal(drb_config_get(&values, given[i].path), given[i].text);
	}
	assert_int_equal(drb_config_format(&values, &text, &length), 0);
	assert_int_equal(length, strlen(text));
	assert_non_null(strstr(text, "\nprocess:\n  idle: poll\n"));
	snprintf(whole, sizeof(whole), "%s%s", text, ports);
	free(text);
	assert_int_equal(drb_config_load_text("text", whole, strlen(whole), &s), 0);
	assert_string_equal(s.instance, "f-s1-7");
	assert_int_equal(s.scheme.like, DRB_SCHEME_MICRO);
	assert_true(s.threshold == 1.5);
	assert_int_equal(s.unit, DRB_UNIT_FLOW);
	assert_int_equal(s.flow_idle_ns, 5000000000);
	assert_int_equal(s.seed, INT64_MAX);
	assert_int_equal(s.check_source, DRB_CHECK_SOURCE_OFF);
	assert_int_equal(s.idle, DRB_IDLE_POLL);
	assert_int_equal(s.burst, 16);
	assert_int_equal(s.memory_mb, 48);
	assert_string_equal(s.ports[0].interface, "sw-1");
	assert_true(s.ports[0].rate.value == 0);
	assert_true(s.ports[1].rate.value == 500);
	assert_int_equal(s.ports[1].catchup_ns, 3000000);
	assert_int_equal(s.ports[1].queue, 100);
	assert_int_equal(s.ports[3].driver, DRB_DRIVER_VDEV);
	assert_string_equal(s.ports[3].device, "net_null0,size=64");
}

// Every value that a file can hold is read back as it was written, whatever YAML makes of it.
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
