// SPDX-License-Identifier: BSD-3-Clause
// Every mistake in the form of a config file gives one exact line. The meaning of keys does not
// matter here.
#include "fixtures/config_files.h"

#include <time.h>

TEST(bad_structure)
{
	static const struct mistake mistakes[] = {
		{"", ":1: the file is empty"},
		{"# nothing\n", ":1: the file is empty"},
		{HEAD "routes: {}\n", ":5: routes: unknown key"},
		{HEAD "routing:\n  treshold: 2\n",
		 ":6: routing.treshold: unknown key (is it threshold?)"},
		{HEAD "routnig: {}\n", ":5: routnig: unknown key (is it routing?)"},
		{HEAD "link: {ocupancy: ring}\n",
		 ":5: link.ocupancy: unknown key (is it occupancy?)"},
		{HEAD "link: {rate: 500pps, que: 3}\n", ":5: link.que: unknown key"},
		{HEAD "ports:\n  - name: d0\n    interfaces: a\n",
		 ":7: ports[0].interfaces: unknown key (is it interface?)"},
		{HEAD "ports:\n  - {name: d0}\n  - {interface: a}\n",
		 ":7: ports[1].name: key is missing"},
		{SWITCH, ":1: fabric: key is missing"},
		{"fabric: {arity: 2}\n" SWITCH, ":1: fabric.layers: key is missing"},
		{"fabric:\n  layers: 3\n" SWITCH, ":1: fabric.arity: key is missing"},
		{FABRIC, ":1: switch: key is missing (or give --layer and --label)"},
		{FABRIC "switch:\n  layer: 1\n", ":4: switch.label: key is missing"},
		{FABRIC "switch:\n  label: 1\n", ":4: switch.layer: key is missing"},
		{HEAD "link:\n  rate: 500pps\n  rate: 600pps\n",
		 ":7: link.rate: key is there twice (before in line 6)"},
		{HEAD "switch: {layer: 2, label: 0}\n",
		 ":5: switch: key is there twice (before in line 4)"},
		{HEAD "ports:\n  - {name: d0, queue: 1, queue: 2}\n",
		 ":6: ports[0].queue: key is there twice (before in line 6)"},
		{HEAD "---\n" HEAD, ":5: a second document; a config is one"},
		{HEAD "...\n---\n", ":6: a second document; a config is one"},
		{HEAD "link: [[[[[[[[[[[[[[[[[", ":5: nested deeper than 16 levels"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

TEST(bad_types)
{
	static const struct mistake mistakes[] = {
		{"fabric: {layers: three, arity: 2}\n" SWITCH,
		 ":1: fabric.layers: \"three\" is not a whole number"},
		{"fabric: {layers: 3, arity: 2x}\n" SWITCH,
		 ":1: fabric.arity: \"2x\" is not a whole number"},
		{"fabric: {layers: 3, arity: 0x2}\n" SWITCH,
		 ":1: fabric.arity: \"0x2\" is not a whole number"},
		{"fabric: {layers: 3, arity: -2}\n" SWITCH,
		 ":1: fabric.arity: \"-2\" is not a whole number"},
		{"fabric: {layers: 3, arity: 2.0}\n" SWITCH,
		 ":1: fabric.arity: \"2.0\" is not a whole number"},
		{"fabric: {layers: 3, arity: }\n" SWITCH,
		 ":1: fabric.arity: \"\" is not a whole number"},
		{"fabric: {layers: 3, arity: 4294967298}\n" SWITCH,
		 ":1: fabric.arity: 4294967298 is not in 1..32 (a switch has 2 arity ports)"},
		{HEAD "routing: {seed: 9223372036854775808}\n",
		 ":5: routing.seed: 9223372036854775808 is not in 0..9223372036854775807"},
		{HEAD "routing: {seed: 99999999999999999999}\n",
		 ":5: routing.seed: 99999999999999999999 is not in 0..9223372036854775807"},
		{HEAD "routing: {check_source: maybe}\n",
		 ":5: routing.check_source: \"maybe\" is none of mac, ip, off"},
		{HEAD "routing: {check_source: 1}\n",
		 ":5: routing.check_source: \"1\" is none of mac, ip, off"},
		{HEAD "process:\n  burst: many\n",
		 ":6: process.burst: \"many\" is not a whole number"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

// Texts that are not YAML, or YAML of another shape than a config.
TEST(bad_shapes)
{
	static const struct mistake mistakes[] = {
		{"just words\n", ":1: not a config: keys such as \"fabric:\" are missing"},
		{"- a\n- b\n", ":1: not a config: keys such as \"fabric:\" are missing"},
		{"fabric: [1, 2]\n" SWITCH, ":1: fabric: must have keys, indented below it"},
		{"fabric: 3\n" SWITCH, ":1: fabric: must have keys, indented below it"},
		{"fabric: {layers: [3], arity: 2}\n" SWITCH,
		 ":1: fabric.layers: must be one value, not a list or keys of its own"},
		{HEAD "routing: {scheme: {a: b}}\n",
		 ":5: routing.scheme: must be one value, not a list or keys of its own"},
		{HEAD "routing: {scheme: \"drb\\0\"}\n",
		 ":5: routing.scheme: there is a zero byte in it"},
		{HEAD "routing: {\"a\\0b\": 3}\n", ":5: routing.?: unknown key"},
		{HEAD "routing: {[a]: 3}\n", ":5: routing.?: unknown key"},
		{HEAD "process: {memif_dir: \"\"}\n",
		 ":5: process.memif_dir: \"\" is not a directory, at most 50 characters"},
		{HEAD "link:\n", ":5: link: must have keys, indented below it"},
		{HEAD "ports: {d0: a}\n",
		 ":5: ports: must be a list of ports, such as [{name: d0}]"},
		{HEAD "ports: [d0]\n", ":5: ports[0]: must have keys, such as {name: d0}"},
		{HEAD "link:\n\trate: 5\n",
		 ":6: not YAML: found character that cannot start any token"},
		{HEAD "link: {rate: 500pps\n", ":6: not YAML: did not find expected ',' or '}'"},
		{"\x01\x02", ":1: not YAML: control characters are not allowed"},
		{"a: b\n\xff", ":2: not YAML: invalid leading UTF-8 octet"},
		{HEAD "link: *nowhere\n", ":5: not YAML: found undefined alias"},
		{HEAD "link: {a.b: 3}\n", ":5: link.a.b: unknown key"},
	};

	every(mistakes, ARRAY_SIZE(mistakes));
}

// An alias stands for the node that its anchor names. A mapping that contains itself is refused
// like one with unknown keys. Merges ("<<") are not supported.
TEST(aliases)
{
	struct drb_setup s =
		good(HEAD "link: {rate: &r 5pps, queue: 7}\n"
			  "ports: [{name: d0, rate: *r}, &p {name: d1, rate: none}]\n");

	assert_true(s.ports[0].rate.value == 5 && s.ports[1].rate.value == 0);
	bad(HEAD "link: &l {rate: 5pps}\nrouting: *l\n", ":5: routing.rate: unknown key");
	bad(HEAD "link: &l {rate: 5pps}\nprocess: {<<: *l}\n", ":6: process.<<: unknown key");
	bad("&top\nfabric: *top\n", ":2: fabric.fabric: unknown key");
	bad(HEAD "ports: &p [*p]\n", ":5: ports[0]: must have keys, such as {name: d0}");
	bad(HEAD "ports: [&p {name: d0}, *p]\n", ":5: ports[1].name: port d0 is listed twice");
}

// A file of the maximum length: begin, and then part repeatedly, with # replaced by a counter.
static const char *repeated(const char *begin, const char *part)
{
	static char text[64 << 10];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", begin);
	const char *number = strchr(part, '#');
	int head = number ? (int)(number - part) : (int)strlen(part);

	for (unsigned n = 0; used + 64 < sizeof(text); n++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s", head, part);
		if (number)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%u%s", n,
						 number + 1);
	}
	return text;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The largest files of input that is slow to parse: they are refused with one line, and quickly.
TEST(hostile_files)
{
	static const char *const begins[] = {"", HEAD "ports:\n", HEAD "link:\n", "fabric:\n"};
	static const char *const parts[] = {"- &# a\n",
					    "? k#\n",
					    "[",
					    "{a: ",
					    "&a# ",
					    "*a ",
					    "k#: {name: d0}\n",
					    "  - {name: d0}\n",
					    "? [#]\n",
					    "- &a# [a]\n",
					    "  rate: 5pps\n",
					    "\"",
					    "# ",
					    "%"};
	char message[2048];
	struct drb_setup s;

	for (size_t i = 0; i < ARRAY_SIZE(parts) * ARRAY_SIZE(begins); i++) {
		const char *part = parts[i / ARRAY_SIZE(begins)];
		write_file(repeated(begins[i % ARRAY_SIZE(begins)], part));
		double began = cpu_seconds();
		assert_int_equal(load(file, NULL, &s, message, sizeof(message)), -EINVAL);
		double took = cpu_seconds() - began;
		assert_ptr_equal(strchr(message, '\n'), message + strlen(message) - 1);
		if (took > 1)
			fail_msg("\"%s\" took %.1f s: %s", part, took, message);
	}
}

TEST(unreadable_files)
{
	char message[2048], want[256];
	struct drb_setup setup;
	char missing[96];

	snprintf(missing, sizeof(missing), "%s/none.yaml", dir);
	assert_int_equal(load(missing, NULL, &setup, message, sizeof(message)), -EINVAL);
	snprintf(want, sizeof(want), "%s: %s: No such file or directory\n",
		 program_invocation_short_name, missing);
	assert_string_equal(message, want);
	assert_int_equal(load(dir, NULL, &setup, message, sizeof(message)), -EINVAL);
	snprintf(want, sizeof(want), "%s: %s: Is a directory\n", program_invocation_short_name,
		 dir);
	assert_string_equal(message, want);
	assert_int_equal(load("/dev/zero", NULL, &setup, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "/dev/zero: longer than 64 KiB"));
}

// A file that can be read only once gives the same setup, and the same line numbers in messages.
TEST(pipes)
{
	static const char *const texts[] = {HEAD "link: {queue: 7}\n", HEAD "link: {queue: 0}\n"};
	char message[2048], path[32];
	struct drb_setup setup;

	for (int bad_one = 0; bad_one < 2; bad_one++) {
		const char *text = texts[bad_one];
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
		close(ends[1]);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
		int rc = load(path, NULL, &setup, message, sizeof(message));
		close(ends[0]);
		assert_int_equal(rc, bad_one ? -EINVAL : 0);
		if (bad_one)
			assert_non_null(strstr(message, ":5: link.queue: 0 is not in 1..65536"));
		else
			assert_int_equal(setup.ports[0].queue, 7);
	}
}

TEST_MAIN(make_dir, remove_dir)
