// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "common/cli/quantity.h"

TEST(rates)
{
	static const struct {
		const char *text;
		double value;
		bool per_packet;
	} good[] = {
		{"none", 0, false},      {"500pps", 500, true},        {"2.5kpps", 2500, true},
		{"2.5Kpps", 2500, true}, {"14.88Mpps", 14.88e6, true}, {"9600bit", 9600, false},
		{"10Mbit", 1e7, false},  {"1Gbit/s", 1e9, false},      {"64kbit", 64000, false},
		{"1e3pps", 1000, true},  {".5pps", 0.5, true},         {"10000Gbit", 1e13, false},
	};
	static const char *const bad[] = {
		"",        "500",    "pps",     "-1pps",      "+1pps", " 1pps",    "1 pps",
		"1pps ",   "0pps",   "0bit",    "1PPS",       "1mbit", "1e20bit",  "1e400bit",
		"nanpps",  "infbit", "0x10pps", "10Mbit/s/s", "1Mbps", "nonesuch", "None",
		"1e-9bit", "1,5pps", "1..5pps", "0.2pps",     "7bit",
	};
	struct drb_rate rate;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(drb_parse_rate(good[i].text, &rate), 0);
		assert_true(rate.value == good[i].value);
		assert_int_equal(rate.per_packet, good[i].per_packet);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		rate = (struct drb_rate){.value = 77};
		if (drb_parse_rate(bad[i], &rate) != -EINVAL)
			fail_msg("\"%s\" is taken as a rate", bad[i]);
		assert_true(rate.value == 77);
	}
}

TEST(rates_print_readably)
{
	static const struct {
		struct drb_rate rate;
		const char *text;
	} cases[] = {
		{{0, false}, "none"},         {{500, true}, "500pps"},
		{{2500, true}, "2.5kpps"},    {{1e6, true}, "1Mpps"},
		{{1e7, false}, "10Mbit"},     {{1e9, false}, "1Gbit"},
		{{0.5, true}, "0.5pps"},      {{9600, false}, "9.6kbit"},
		{{1e13, false}, "10000Gbit"}, {{123456789, false}, "123.456789Mbit"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[64];
		drb_format_rate(&cases[i].rate, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

// Every rate is read back from its text exactly.
TEST(rates_read_back)
{
	struct drb_rng r = drb_rng_seed(40, 0);

	for (int n = 0; n < 50000; n++) {
		// Evenly distributed over the magnitudes of rates, from 8 bit/s to 1e13.
		double scale = 8;
		for (uint32_t k = drb_rng_below(&r, 12); k > 0; k--)
			scale *= 10;
		struct drb_rate rate = {(1 + drb_rng_unit(&r)) * scale, n % 2}, back;
		char text[64];
		drb_format_rate(&rate, text, sizeof(text));
		assert_int_equal(drb_parse_rate(text, &back), 0);
		assert_true(back.value == rate.value);
		assert_int_equal(back.per_packet, rate.per_packet);
	}
}

TEST(times)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"2ms", 2000000},   {"500us", 500000},
		{"1s", 1000000000}, {"100ns", 100},
		{"1.5ms", 1500000}, {"0s", 0},
		{"0.1us", 100},     {"1e3ms", 1000000000},
		{"0.6ns", 1},       {"1000000000s", UINT64_C(1000000000000000000)},
	};
	static const char *const bad[] = {"",     "2",  "ms",   "-1ms", "2 ms",   "2m",
					  "2ms ", "1h", "nans", "infs", "1e300s", "2000000000s"};
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(drb_parse_time(good[i].text, &ns), 0);
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ns = 77;
		if (drb_parse_time(bad[i], &ns) != -EINVAL)
			fail_msg("\"%s\" is taken as a time", bad[i]);
		assert_true(ns == 77);
	}
}

TEST(whole_numbers)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  " 1",
					  "1 ",
					  "1x",
					  "0x1",
					  "1.0",
					  "1e3",
					  "4",
					  "21",
					  "18446744073709551616",
					  "99999999999999999999999"};
	uint64_t wide = 77;
	uint32_t narrow = 77;

	assert_int_equal(drb_parse_u64("18446744073709551615", 0, UINT64_MAX, &wide), 0);
	assert_true(wide == UINT64_MAX);
	assert_int_equal(drb_parse_u32("4294967295", 0, UINT32_MAX, &narrow), 0);
	assert_int_equal(narrow, UINT32_MAX);
	assert_int_equal(drb_parse_u32("4294967296", 0, UINT32_MAX, &narrow), -EINVAL);
	assert_int_equal(drb_parse_u32("5", 5, 20, &narrow), 0);
	assert_int_equal(narrow, 5);
	assert_int_equal(drb_parse_u32("20", 5, 20, &narrow), 0);
	assert_int_equal(narrow, 20);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (drb_parse_u32(bad[i], 5, 20, &narrow) != -EINVAL)
			fail_msg("\"%s\" is taken as a number from 5 to 20", bad[i]);
		assert_int_equal(narrow, 20);
	}
}

TEST(real_numbers)
{
	static const char *const bad[] = {"",     "-0.1", "+1", "nan", "inf", "1e999", "0x1p0",
					  "1.5.", "2.1",  " 1", "1 ",  ".",   "e5",    "1,2"};
	double value = 77;

	assert_int_equal(drb_parse_real("1.5", 0, 2, &value), 0);
	assert_true(value == 1.5);
	assert_int_equal(drb_parse_real("0", 0, 2, &value), 0);
	assert_true(value == 0);
	assert_int_equal(drb_parse_real("2", 0, 2, &value), 0);
	assert_int_equal(drb_parse_real("2e-1", 0, 2, &value), 0);
	assert_true(value == 0.2);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (drb_parse_real(bad[i], 0, 2, &value) != -EINVAL)
			fail_msg("\"%s\" is taken as a real from 0 to 2", bad[i]);
		assert_true(value == 0.2);
	}
}

TEST(lists)
{
	static const struct {
		const char *text;
		size_t count;
		double value[12];
	} good[] = {
		{"3", 1, {3}},
		{"1-4", 4, {1, 2, 3, 4}},
		{"7-7", 1, {7}},
		{"1,2,5-8", 6, {1, 2, 5, 6, 7, 8}},
		{"0.6:0.75:0.03", 6, {0.6, 0.63, 0.66, 0.69, 0.72, 0.75}},
		{"0.5:0.74:0.1,0.99", 4, {0.5, 0.6, 0.7, 0.99}},
		{"0:0.3:0.1", 4, {0, 0.1, 0.2, 0.3}}, // 0.3 / 0.1 < 3 in doubles
		{"0.9,0.1", 2, {0.9, 0.1}},
	};
	static const char *const bad[] = {
		"",      ",",   "1,",  ",1",    "1,,2",     "5-3",    "1:2",   "1:2:",
		"1:2:0", "a",   "1-b", "1-2-3", "1:2:3:4",  "-1",     "0-101", "101",
		"1 ,2",  "1;2", "nan", "1-inf", "0:1:1e-9", "1:2:-1",
	};
	struct drb_reals list;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(drb_parse_reals(good[i].text, 0, 100, &list), 0);
		assert_int_equal(list.count, good[i].count);
		for (size_t k = 0; k < list.count; k++)
			assert_true(list.value[k] == good[i].value[k]);
		free(list.value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		list = (struct drb_reals){.count = 77};
		if (drb_parse_reals(bad[i], 0, 100, &list) != -EINVAL)
			fail_msg("\"%s\" is taken as a list from 0 to 100", bad[i]);
		assert_int_equal(list.count, 77);
	}
}

// The paper's sweep ends at 0.99, not one rounding error below or above it.
TEST(sweeps_hit_both_ends)
{
	struct drb_reals list;

	assert_int_equal(drb_parse_reals("0.6:0.99:0.03", 0, 0.99, &list), 0);
	assert_int_equal(list.count, 14);
	assert_true(list.value[13] == 0.99);
	free(list.value);
	assert_int_equal(drb_parse_reals("1-20000", 0, 20000, &list), 0);
	assert_int_equal(list.count, 20000);
	for (size_t i = 0; i < list.count; i++)
		assert_true(list.value[i] == (double)(i + 1));
	free(list.value);
}

TEST(lengths_of_time_are_for_people)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {{0, "0.000 s"},       {0.19, "0.190 s"},        {12.52, "12.5 s"},
		     {200, "3 min 20 s"},  {7199.9, "119 min 59 s"}, {86400, "24 h 0 min"},
		     {1e6, "11 days 13 h"}};
	char text[DRB_DURATION_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(drb_format_duration(1e9 * cases[i].seconds, text),
				    cases[i].text);
	drb_format_duration(1.8e19, text); // an unrealistic duration fits
}

TEST_MAIN(NULL, NULL)
