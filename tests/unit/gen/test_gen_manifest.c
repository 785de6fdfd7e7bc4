// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include <unistd.h>

#include "gen/captures/manifest.h"

static const char good[] =
	"{\"format\": \"drbgen traffic\", \"version\": 1, \"layers\": 3, \"arity\": 2,\n"
	"\"slot_ns\": 2000000, \"slots\": 2000, \"pattern\": \"stride:3\", \"load\": 0.9,\n"
	"\"seed\": 7, \"size\": 128, \"packets\": 28800, \"mac\": \"02:00\",\n"
	"\"ipv4\": \"10.0.0.0/8\", \"ipv6\": \"fd00::/64\"}";

TEST(good_manifest_is_read)
{
	char error[MANIFEST_ERROR_MAX] = "";
	struct manifest m;
	if (manifest_parse(good, strlen(good), &m, error) < 0)
		fail_msg("%s", error);
	assert_int_equal(m.layers, 3);
	assert_int_equal(m.arity, 2);
	assert_int_equal(m.tree.hosts, 16);
	assert_int_equal(m.plan.hosts, 16);
	assert_int_equal(m.slot_ns, 2000000);
	assert_int_equal(m.slots, 2000);
	assert_int_equal(m.pattern.pattern, DRB_PATTERN_STRIDE);
	assert_int_equal(m.pattern.k, 3);
	assert_true(m.load == 0.9);
	assert_int_equal(m.seed, 7);
	assert_int_equal(m.size, 128);
	assert_int_equal(m.packets, 28800);
}

// One change of the good text each, and a word that the message must have.
static const struct {
	const char *from, *to, *word;
} bad[] = {
	{"\"layers\": 3", "\"layers\": 0", "layers"},
	{"\"layers\": 3", "\"layers\": -3", "number"},
	{"\"layers\": 3", "\"layers\": \"3\"", "integer"},
	{"\"layers\": 3, ", "", "layers"},
	{"\"arity\": 2", "\"arity\": 4000", "hosts"},
	{"\"arity\": 2", "\"arity\": 5000", "arity"},
	{"\"slot_ns\": 2000000", "\"slot_ns\": 0", "slot"},
	{"\"slot_ns\": 2000000", "\"slot_ns\": 9000000000000000000", "slot"},
	{"\"slots\": 2000", "\"slots\": 0", "slots"},
	{"\"slots\": 2000", "\"slots\": 4294967296", "number"},
	{"\"stride:3\"", "\"stride\"", "pattern"},
	{"\"stride:3\"", "\"storm\"", "storm"},
	{"0.9", "1.5", "load"},
	{"0.9", "0", "load"},
	{"\"seed\": 7", "\"seed\": -7", "number"},
	{"\"size\": 128", "\"size\": 60", "size"},
	{"\"size\": 128", "\"size\": 9015", "size"},
	{"28800", "32001", "packets"},
	{"02:00", "03:00", "mac"},
	{"02:00", "02:00:00:00", "mac"},
	{"10.0.0.0/8", "10.0.0.1/8", "ipv4"},
	{"10.0.0.0/8", "10.0.0.0/28", "ipv4"},
	{"fd00::/64", "fd00::1/64", "ipv6"},
	{"\"version\": 1", "\"version\": 2", "version"},
	{"drbgen traffic", "tcpdump", "format"},
	{"\"seed\": 7", "\"seed\": 7, \"seed\": 8", "line"},
	{"\"seed\": 7,", "\"seed\": 7", "line"},
};

TEST(bad_manifests_are_refused_with_the_reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[1024], error[MANIFEST_ERROR_MAX] = "";
		struct manifest m;
		const char *at = strstr(good, bad[i].from);
		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, bad[i].to,
			 at + strlen(bad[i].from));
		if (manifest_parse(text, strlen(text), &m, error) != -EINVAL ||
		    !strstr(error, bad[i].word))
			fail_msg("%s -> %s: \"%s\"", bad[i].from, bad[i].to, error);
	}
}

TEST(every_truncation_is_refused)
{
	for (size_t size = 0; size + 1 < sizeof(good) - 1; size++) {
		char error[MANIFEST_ERROR_MAX];
		struct manifest m;
		// A copy of exactly this size, so that a read beyond it is found.
		char *text = malloc(size + 1);
		assert_non_null(text);
		memcpy(text, good, size);
		assert_int_equal(manifest_parse(text, size, &m, error), -EINVAL);
		free(text);
	}
}

TEST(saved_manifest_reads_back)
{
	char dir[] = "/tmp/test_gen_manifest.XXXXXX", path[64], error[MANIFEST_ERROR_MAX];
	struct manifest m, again;
	assert_int_equal(manifest_parse(good, strlen(good), &m, error), 0);
	assert_non_null(mkdtemp(dir));
	m.load = 0.95;
	assert_int_equal(manifest_save(dir, &m), 0);
	assert_int_equal(manifest_load(dir, &again), 0);
	assert_true(again.load == m.load);
	assert_int_equal(again.packets, m.packets);
	assert_int_equal(again.pattern.k, m.pattern.k);
	assert_string_equal(again.ipv4, m.ipv4);
	snprintf(path, sizeof(path), "%s/" MANIFEST_FILE, dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(manifest_load(dir, &again), -EINVAL);
	assert_int_equal(rmdir(dir), 0);
}

TEST_MAIN(NULL, NULL)
