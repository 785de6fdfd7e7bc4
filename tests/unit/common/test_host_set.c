// SPDX-License-Identifier: BSD-3-Clause
// Sets of hosts as options name them: labels and ranges, joined by "+".
#include "fixtures/unit.h"

#include <errno.h>

#include "common/traffic/host_set.h"

#define HOSTS 16
#define END UINT32_MAX

TEST(labels_and_ranges_are_read)
{
	static const struct {
		const char *text;
		uint32_t host[HOSTS + 1];
	} cases[] = {
		{"0", {0, END}},
		{"15", {15, END}},
		{"3-3", {3, END}},
		{"3-5", {3, 4, 5, END}},
		{"9+2", {2, 9, END}},
		{"9+2+9+2-4+3-5", {2, 3, 4, 5, 9, END}},
		{"14-15+0-1", {0, 1, 14, 15, END}},
		{"0-15", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, END}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_host_set set;
		uint32_t n = 0;
		assert_int_equal(drb_host_set_parse(cases[i].text, HOSTS, &set), 0);
		for (; cases[i].host[n] != END; n++) {
			assert_true(n < set.count);
			assert_int_equal(set.host[n], cases[i].host[n]);
		}
		assert_int_equal(set.count, n);
		drb_host_set_free(&set);
		assert_null(set.host);
	}
}

TEST(others_are_refused)
{
	static const char *const wrong[] = {
		"",    "+",          "1+",           "+1",     "1++2",
		"16",  "0-16",       "5-4",          "-",      "1-",
		"-1",  "1-2-3",      "h1",           "1,2",    " 1",
		"1.5", "4294967296", "0-4294967295", "3-5+16", "111111111111111111111111111111"};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct drb_host_set set;
		assert_int_equal(drb_host_set_parse(wrong[i], HOSTS, &set), -EINVAL);
		assert_true(set.host == NULL && set.count == 0);
	}
}

TEST_MAIN(NULL, NULL)
