// SPDX-License-Identifier: BSD-3-Clause
// Which form of the metrics a client gets, by its header Accept.
#include "fixtures/unit.h"

#include <stdio.h>

#include "ctl/serve/accept.h"

static bool openmetrics(const char *header)
{
	return accept_prefers(header, "application/openmetrics-text", "text/plain");
}

static void as_prometheus_asks(void **state)
{
	(void)state;
	assert_true(openmetrics("application/openmetrics-text;version=1.0.0;q=0.5,"
				"application/openmetrics-text;version=0.0.1;q=0.4,"
				"text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
	assert_true(openmetrics("application/openmetrics-text; version=1.0.0; charset=utf-8"));
	assert_true(openmetrics("text/plain, Application/OpenMetrics-Text"));
}

static void the_most_wanted(void **state)
{
	(void)state;
	assert_false(openmetrics("application/openmetrics-text;q=0.3, text/plain"));
	assert_false(openmetrics("text/plain;q=0.5,application/openmetrics-text;q=0.499"));
	assert_true(openmetrics("text/plain;q=0.5 , application/openmetrics-text ; Q=0.501"));
	assert_false(openmetrics("application/openmetrics-text;q=0"));
	assert_false(openmetrics("application/openmetrics-text;q=0.000, text/plain;q=0"));
	// Of ranges that differ in parameters the most wanted counts.
	assert_true(
		openmetrics("application/openmetrics-text;version=0.0.1;q=0.1,"
			    "application/openmetrics-text;version=1.0.0;q=0.9,text/plain;q=0.5"));
}

static void the_closest_range(void **state)
{
	(void)state;
	assert_true(openmetrics("application/*"));
	assert_false(openmetrics("application/*;q=0.4, text/*;q=0.5"));
	assert_false(openmetrics("*/*"));
	assert_false(openmetrics("application/openmetrics-text;q=0, */*"));
	assert_true(openmetrics("text/plain;q=0.1, */*;q=0.2"));
	assert_false(openmetrics("text/html"));
}

static void without_a_wish(void **state)
{
	(void)state;
	assert_false(openmetrics(NULL));
	assert_false(openmetrics(""));
	assert_false(openmetrics(" , ;q=1,;;,/,*"));
}

// What is no quality makes its range void, and no other one.
static void malformed_qualities(void **state)
{
	static const char *const bad[] = {"",       "2", "1.001", "-1", "0,5",
					  "0.1234", "x", "nan",   "1e0"};
	char header[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(header, sizeof(header),
			 "application/openmetrics-text;q=%s;x=1, text/plain;q=0.1", bad[i]);
		assert_false(openmetrics(header));
	}
	assert_false(openmetrics("application/openmetrics-text-else"));
	assert_false(openmetrics("xapplication/openmetrics-text"));
	assert_false(openmetrics("application/openmetrics-tex"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_prometheus_asks),  cmocka_unit_test(the_most_wanted),
		cmocka_unit_test(the_closest_range),   cmocka_unit_test(without_a_wish),
		cmocka_unit_test(malformed_qualities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
