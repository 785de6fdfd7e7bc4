// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/fabric/names.h"

static const struct {
	uint32_t layer, label;
	const char *name;
} nodes[] = {
	{0, 0, "h0"},   {0, 10, "h10"},   {1, 0, "s1-0"},
	{2, 5, "s2-5"}, {3, 17, "s3-17"}, {16, UINT32_MAX, "s16-4294967295"},
};

TEST(node_names_read_back)
{
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		char name[DRB_NAME_MAX];
		uint32_t layer, label;
		drb_node_name(name, nodes[i].layer, nodes[i].label);
		assert_string_equal(name, nodes[i].name);
		assert_int_equal(drb_node_parse(name, &layer, &label), 0);
		assert_int_equal(layer, nodes[i].layer);
		assert_int_equal(label, nodes[i].label);
	}
}

TEST(bad_node_names_are_refused)
{
	static const char *const bad[] = {"",    "h",     "h01", "h1x", "s0-1",
					  "s1",  "s1-",   "s-1", "x1",  "s1-4294967296",
					  "h-1", "s1-+1", "S1-0"};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint32_t layer, label;
		assert_int_not_equal(drb_node_parse(bad[i], &layer, &label), 0);
	}
}

TEST(instances_split_at_the_node)
{
	static const struct {
		const char *name, *fabric;
		uint32_t layer, label;
	} cases[] = {
		{"drb-s2-5", "drb", 2, 5},
		{"drb-h10", "drb", 0, 10},
		{"my-lab-s1-0", "my-lab", 1, 0},
		{"a-h1-h2", "a-h1", 0, 2},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char fabric[DRB_FABRIC_MAX + 1], name[DRB_NAME_MAX];
		uint32_t layer, label;
		assert_int_equal(drb_instance_parse(cases[i].name, fabric, &layer, &label), 0);
		assert_string_equal(fabric, cases[i].fabric);
		assert_int_equal(layer, cases[i].layer);
		assert_int_equal(label, cases[i].label);
		drb_instance_name(name, fabric, layer, label);
		assert_string_equal(name, cases[i].name);
	}
}

TEST(bad_instances_are_refused)
{
	static const char *const bad[] = {"",         "drb",     "drb-",
					  "-s1-0",    "s1-0",    "h1",
					  "a/b-s1-0", "../x-h1", "-a-h1",
					  "a b-h1",   "drb-s1-", "abcdefghijklmnopqrstuvwxy-h1"};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char fabric[DRB_FABRIC_MAX + 1];
		uint32_t layer, label;
		if (drb_instance_parse(bad[i], fabric, &layer, &label) == 0)
			fail_msg("\"%s\" is taken as an instance", bad[i]);
	}
}

// The longest valid names fit.
TEST(longest_instance_reads_back)
{
	const char *longest = "abcdefghijklmnopqrstuvwx";
	char name[DRB_NAME_MAX], fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;

	drb_instance_name(name, longest, 16, UINT32_MAX);
	assert_string_equal(name, "abcdefghijklmnopqrstuvwx-s16-4294967295");
	assert_int_equal(drb_instance_parse(name, fabric, &layer, &label), 0);
	assert_string_equal(fabric, longest);
	assert_int_equal(layer, 16);
	assert_int_equal(label, UINT32_MAX);
}

TEST(ends_of_links)
{
	static const struct drb_end ends[] = {{2, 5, 1, false}, {1, 0, 1, true}, {0, 12, 0, true}};
	static const char *const names[][2] = {
		{"d1", "s2-5.d1"}, {"u1", "s1-0.u1"}, {"eth0", "h12.eth0"}};
	char text[DRB_END_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		drb_end_port(text, &ends[i]);
		assert_string_equal(text, names[i][0]);
		drb_end_name(text, &ends[i]);
		assert_string_equal(text, names[i][1]);
	}
}

TEST(ports_and_fabrics)
{
	bool up;
	uint32_t port;

	assert_int_equal(drb_port_parse("u3", &up, &port), 0);
	assert_true(up);
	assert_int_equal(port, 3);
	assert_int_equal(drb_port_parse("d0", &up, &port), 0);
	assert_false(up);
	assert_int_not_equal(drb_port_parse("d", &up, &port), 0);
	assert_int_not_equal(drb_port_parse("u03", &up, &port), 0);
	assert_true(drb_fabric_name_ok("drb"));
	assert_true(drb_fabric_name_ok("lab_2.b-1"));
	assert_false(drb_fabric_name_ok(""));
	assert_false(drb_fabric_name_ok("-x"));
	assert_false(drb_fabric_name_ok("a/b"));
	assert_false(drb_fabric_name_ok("abcdefghijklmnopqrstuvwxy"));
}

TEST_MAIN(NULL, NULL)
