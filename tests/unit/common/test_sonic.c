// SPDX-License-Identifier: BSD-3-Clause
// Scheme ars with the initial values of SAI, and with the values of a SONiC config_db.json.
#include "fixtures/unit.h"

#include <unistd.h>

#include "common/schemes/load.h"
#include "core/schemes/all.h"

#define FILE_NAME "sonic_config_db.json"

static char folder[] = "/tmp/drb-test-sonic-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(FILE_NAME);
	return rmdir(folder);
}

static void write_config(const char *text)
{
	FILE *f = fopen(FILE_NAME, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static struct drb_scheme_variant read_scheme(const char *text)
{
	struct drb_scheme_variant v;
	char why[DRB_SCHEME_WHY];

	if (drb_scheme_read(text, &v, why) < 0)
		fail_msg("%s: %s", text, why);
	return v;
}

// A packet of 1250 bytes takes a microsecond at 10 Gbit/s.
TEST(times_of_sai_are_microseconds)
{
	const struct drb_scheme_variant v = read_scheme("ars:link_rate=10:packet=1250"),
					fast = read_scheme("ars:link_rate=400:packet=1250"),
					slow = read_scheme("ars:link_rate=0.1"),
					own = read_scheme(
						"ars:idle_time=0:packet=1250:link_rate=10");

	assert_true(v.param[DRB_ARS_IDLE_TIME] == 256 && v.param[DRB_ARS_INTERVAL] == 16);
	assert_true(fast.param[DRB_ARS_IDLE_TIME] == 10240 && fast.param[DRB_ARS_INTERVAL] == 640);
	assert_true(slow.param[DRB_ARS_INTERVAL] == 1);
	assert_true(own.param[DRB_ARS_IDLE_TIME] == 0 && own.param[DRB_ARS_INTERVAL] == 16);
	assert_true(v.param[DRB_ARS_PAST] == 1 && v.param[DRB_ARS_MAX_VAL] == 0);
	assert_true(v.param[DRB_ARS_MAX_FLOWS] == 512 && v.param[DRB_ARS_EXPONENT] == 2);
}

#define PORTS                                                                                      \
	"\"PORT\": {\"Ethernet0\": {\"speed\": \"10000\"}, \"Ethernet8\": {\"speed\": \"10000\"}," \
	"\"Ethernet9\": {\"speed\": \"400000\"}}, \"ARS_INTERFACES\": {\"Ethernet0\": "            \
	"{\"scaling_factor\": \"1\"}, \"Ethernet8\": {}}"

TEST(a_config_changes_what_it_names)
{
	write_config("{" PORTS ", \"ARS_PROFILE\": {\"default\": {\"algorithm\": \"ewma\", "
		     "\"sampling_interval\": \"10\", \"past_load_min_value\": 1000, "
		     "\"past_load_max_value\": \"9000\", \"future_load_max_value\": \"12500\"}}, "
		     "\"ARS_NEXTHOP_GROUP\": {\"10.0.0.0/8|default\": {\"assign_mode\": "
		     "\"per_flowlet_quality\", \"flowlet_idle_time\": 100, \"max_flows\": "
		     "\"2048\"}, \"11.0.0.0/8|default\": {\"assign_mode\": "
		     "\"per_flowlet_quality\", \"flowlet_idle_time\": 100, \"max_flows\": "
		     "\"2048\"}}}");
	const struct drb_scheme_variant v = read_scheme("ars:packet=1250:config=" FILE_NAME),
					fast = read_scheme(
						"ars:packet=1250:link_rate=100:config=" FILE_NAME);

	assert_true(v.param[DRB_ARS_INTERVAL] == 10 && v.param[DRB_ARS_IDLE_TIME] == 100);
	assert_true(v.param[DRB_ARS_MAX_FLOWS] == 2048 && v.param[DRB_ARS_PAST] == 1);
	assert_true(v.param[DRB_ARS_PAST_MIN] == 10 && v.param[DRB_ARS_PAST_MAX] == 90);
	assert_true(v.param[DRB_ARS_MIN_VAL] == 0 && v.param[DRB_ARS_MAX_VAL] == 10);
	assert_true(fast.param[DRB_ARS_INTERVAL] == 100 && fast.param[DRB_ARS_PAST_MAX] == 9);
	unlink(FILE_NAME);
}

TEST(packets_are_decided_alone_where_the_config_says_so)
{
	write_config("{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
		     "{\"flowlet_idle_time\": \"256\", \"assign_mode\": \"per_packet_quality\"}}}");
	const struct drb_scheme_variant v = read_scheme("ars:config=" FILE_NAME);

	assert_true(v.param[DRB_ARS_IDLE_TIME] == 0 && v.param[DRB_ARS_MAX_FLOWS] == 512);
	unlink(FILE_NAME);
}

// A group of next hops refers to an object, which has the mode and the times.
TEST(objects_count_beside_groups)
{
	write_config("{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
		     "{\"assign_mode\": \"per_packet\", \"max_flows\": 64}}, "
		     "\"ARS_NEXTHOP_GROUP\": {\"g\": {\"ars_obj_name\": \"o\"}}}");
	const struct drb_scheme_variant v = read_scheme("ars:config=" FILE_NAME);

	assert_true(v.param[DRB_ARS_IDLE_TIME] == 0 && v.param[DRB_ARS_MAX_FLOWS] == 64);
	unlink(FILE_NAME);
}

static const struct {
	const char *config, *scheme, *why;
} mistakes[] = {
	{NULL, "ars:link_rate=fast", "link_rate fast: must be Gbit/s"},
	{NULL, "ars:packet=1", "must be bytes, 64 to 1000000"},
	{NULL, "ars:speed=1", "scheme ars has no parameter 'speed'"},
	{NULL, "ars:", "must be KEY=VALUE"},
	{NULL, "ars:link_rate=10:", "must be KEY=VALUE"},
	{NULL, "drb:link_rate=10", "scheme drb has no parameter 'link_rate'"},
	{NULL, "ars:config=no_such_file", "no_such_file"},
	{"{\"ARS_PROFILE\": ", "ars:config=" FILE_NAME, FILE_NAME ":1:"},
	{"{" PORTS "}", "ars:config=" FILE_NAME, "has no table ARS_PROFILE"},
	{"{\"ARS_PROFILE\": {\"p\": {}}}", "ars:config=" FILE_NAME, "the rate of links is unknown"},
	{"{\"ARS_PROFILE\": {\"p\": {}}, \"ARS_INTERFACES\": {\"Ethernet0\": {}}}",
	 "ars:config=" FILE_NAME, "PORT has no speed of Ethernet0"},
	{"{\"ARS_PROFILE\": {\"p\": {}}, \"ARS_INTERFACES\": {\"Ethernet0\": {}, "
	 "\"Ethernet9\": {}}, \"PORT\": {\"Ethernet0\": {\"speed\": \"10000\"}, "
	 "\"Ethernet9\": {\"speed\": \"40000\"}}}",
	 "ars:config=" FILE_NAME, "several speeds"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {\"sampling_interval\": \"often\"}}}",
	 "ars:config=" FILE_NAME, "sampling_interval must be a number"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
	 "{\"max_flows\": 65537}}}",
	 "ars:config=" FILE_NAME, "max_flows would be 65537"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
	 "{\"assign_mode\": \"random\"}}}",
	 "ars:config=" FILE_NAME, "assign_mode must be"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
	 "{\"max_flows\": 1}, \"q\": {\"max_flows\": 2}}}",
	 "ars:config=" FILE_NAME, "o and q differ"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {}}, \"ARS_OBJECT\": {\"o\": "
	 "{\"assign_mode\": \"per_packet_random\"}}}",
	 "ars:config=" FILE_NAME, "assign_mode must be"},
	{"{" PORTS ", \"ARS_PROFILE\": [{}]}", "ars:config=" FILE_NAME,
	 "ARS_PROFILE must be an object"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": \"x\"}}", "ars:config=" FILE_NAME,
	 "ARS_PROFILE: p must be an object"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {\"algorithm\": \"fast\"}}}",
	 "ars:config=" FILE_NAME, "algorithm must be EWMA"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {\"algorithm\": 5}}}", "ars:config=" FILE_NAME,
	 "algorithm must be EWMA"},
	{"{" PORTS ", \"ARS_PROFILE\": {\"p\": {\"future_load_min_value\": 20000, "
	 "\"future_load_max_value\": 10000}}}",
	 "ars:config=" FILE_NAME, "future load: its min_value is above its max_value"},
	{NULL, "ars:packet=1500", "add link_rate=GBIT"},
};

TEST(mistakes_are_named)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct drb_scheme_variant v;
		char why[DRB_SCHEME_WHY] = "";
		if (mistakes[i].config)
			write_config(mistakes[i].config);
		assert_int_equal(drb_scheme_read(mistakes[i].scheme, &v, why), -EINVAL);
		if (!strstr(why, mistakes[i].why))
			fail_msg("%s: %s", mistakes[i].scheme, why);
		unlink(FILE_NAME);
	}
}

// A confined switch can open no more files. This test is the last one, because the confinement is
// permanent.
TEST(what_was_read_stays)
{
	static const char text[] = "ars:link_rate=100:config=" FILE_NAME;
	struct drb_scheme_variant v;
	char why[DRB_SCHEME_WHY];

	write_config("{\"ARS_PROFILE\": {\"p\": {\"sampling_interval\": \"2\"}}}");
	const double interval = read_scheme(text).param[DRB_ARS_INTERVAL];
	unlink(FILE_NAME);
	drb_scheme_objects_end();
	v = read_scheme(text);
	assert_true(v.param[DRB_ARS_INTERVAL] == interval);
	assert_string_equal(v.text, text);
	assert_int_equal(drb_scheme_read("ars:link_rate=50:config=" FILE_NAME, &v, why), -EINVAL);
	assert_non_null(strstr(why, "was not read when the program started"));
}

TEST_MAIN(make_folder, remove_folder)
