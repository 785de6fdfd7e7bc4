// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/unit.h"

#include "core/traffic/traffic.h"

TEST(names_read_back)
{
	static const char *const good[] = {
		"permutation", "fixed",          "random",       "mixed",      "stride:3",
		"tornado",     "all-to-all",     "transpose",    "reversal",   "hotspot:16",
		"incast:1",    "racks:0.03",     "racks:1",      "turns:10",   "epoch:4",
		"jobs:8",      "file:a/b:c.csv", "oneway:0.5:0", "oneway:0:1", "sink:1",
		"silent:0.5",  "unequal:0.1",    "idle:0.05",    "trains:16",
	};
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct drb_traffic_kind kind;
		char text[DRB_TRAFFIC_NAME_MAX];
		assert_int_equal(drb_traffic_parse(good[i], &kind), 0);
		drb_traffic_format(kind, text);
		assert_string_equal(text, good[i]);
	}
}

TEST(bad_names_are_refused)
{
	static const char *const bad[] = {"",
					  "perm",
					  "permutation:1",
					  "stride",
					  "stride:",
					  "stride:0",
					  "stride:-1",
					  "stride:1x",
					  "stride: 1",
					  "hotspot",
					  "incast:9999999999",
					  ":3",
					  "strid:3",
					  "fixed ",
					  "racks",
					  "racks:0",
					  "racks:1.1",
					  "racks:x",
					  "racks:nan",
					  "turns:0",
					  "epoch:",
					  "jobs:-1",
					  "oneway:0.5",
					  "oneway:0.5:",
					  "oneway:0.5:1.1",
					  "oneway:0.5:0:0",
					  "sink:0",
					  "silent:1",
					  "unequal:1",
					  "file",
					  "file:"};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct drb_traffic_kind kind;
		assert_int_equal(drb_traffic_parse(bad[i], &kind), -22);
	}
}

static const uint32_t trees[][2] = {{1, 1}, {1, 3}, {2, 2}, {3, 2}, {3, 4}, {4, 3}, {2, 1}};

struct stage {
	struct drb_tree t;
	struct drb_traffic traffic;
	struct drb_rng rng;
	uint32_t *memory, *dest, *before;
};

static int set_up(struct stage *s, const uint32_t tree[2], const char *text, double rho)
{
	struct drb_traffic_kind kind;

	assert_int_equal(drb_tree_init(&s->t, tree[0], tree[1]), 0);
	assert_int_equal(drb_traffic_parse(text, &kind), 0);
	s->rng = drb_rng_seed(7, 0);
	s->memory = calloc(DRB_TRAFFIC_WORDS(s->t.hosts), sizeof(uint32_t));
	s->dest = calloc(s->t.hosts, sizeof(uint32_t));
	s->before = calloc(s->t.hosts, sizeof(uint32_t));
	return drb_traffic_init(&s->traffic,
				&(struct drb_traffic_setup){&s->t, kind, rho, s->memory}, &s->rng);
}

static void tear_down(struct stage *s)
{
	free(s->memory);
	free(s->dest);
	free(s->before);
}

// pattern -> whether every slot is a permutation, and whether every slot is the same one
static const struct {
	const char *text;
	bool permutation, persistent;
} kinds[] = {
	{"permutation", true, false}, {"fixed", true, true},     {"random", false, false},
	{"mixed", true, false},       {"stride:1", true, true},  {"tornado", true, true},
	{"all-to-all", true, false},  {"transpose", true, true}, {"reversal", true, true},
	{"hotspot:2", false, false},  {"incast:1", false, true}, {"racks:1", true, true},
	{"turns:3", true, false},     {"epoch:7", true, false},  {"trains:4", true, false},
	{"jobs:1", true, true},
};

static bool is_permutation(const uint32_t dest[], uint32_t n)
{
	bool *seen = calloc(n, sizeof(bool)), ok = true;

	for (uint32_t h = 0; h < n; h++) {
		ok = ok && dest[h] < n && !seen[dest[h]];
		if (ok)
			seen[dest[h]] = true;
	}
	free(seen);
	return ok;
}

TEST(slots_are_what_the_pattern_says)
{
	for (size_t f = 0; f < ARRAY_SIZE(trees); f++) {
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct stage s;
			bool changed = false;
			assert_int_equal(set_up(&s, trees[f], kinds[k].text, 1), 0);
			uint32_t n = s.t.hosts;
			for (uint32_t slot = 0; slot < 50; slot++) {
				drb_traffic_slot(&s.traffic, &s.rng, slot, s.dest);
				for (uint32_t h = 0; h < n; h++) {
					assert_int_not_equal(s.dest[h], h);
					assert_true(s.dest[h] < n || s.dest[h] == DRB_NO_LABEL);
				}
				assert_true(!kinds[k].permutation || is_permutation(s.dest, n));
				changed |= slot && memcmp(s.dest, s.before, n * sizeof(n)) != 0;
				memcpy(s.before, s.dest, n * sizeof(n));
			}
			if (n > 4) // smaller ones have too few permutations for a certain change
				assert_int_equal(changed, !kinds[k].persistent);
			tear_down(&s);
		}
	}
}

TEST(half_of_mixed_persists)
{
	static const uint32_t tree[2] = {3, 4};
	struct stage s;
	uint32_t same = 0;

	assert_int_equal(set_up(&s, tree, "mixed", 1), 0);
	bool keeps[128];
	memset(keeps, true, sizeof(keeps));
	for (uint32_t slot = 0; slot < 50; slot++) {
		drb_traffic_slot(&s.traffic, &s.rng, slot, s.dest);
		for (uint32_t h = 0; h < s.t.hosts; h++)
			keeps[h] &= slot == 0 || s.dest[h] == s.before[h];
		memcpy(s.before, s.dest, s.t.hosts * sizeof(uint32_t));
	}
	for (uint32_t h = 0; h < s.t.hosts; h++)
		same += keeps[h];
	assert_int_equal(same, s.t.hosts / 2);
	tear_down(&s);
}

TEST(hosts_send_with_probability_rho)
{
	static const uint32_t tree[2] = {3, 4};
	struct stage s;
	uint64_t sent = 0, slots = 2000;

	assert_int_equal(set_up(&s, tree, "permutation", 0.3), 0);
	for (uint64_t slot = 0; slot < slots; slot++) {
		drb_traffic_slot(&s.traffic, &s.rng, slot, s.dest);
		for (uint32_t h = 0; h < s.t.hosts; h++)
			sent += s.dest[h] != DRB_NO_LABEL;
	}
	double n = (double)(slots * s.t.hosts);
	assert_true(fabs((double)sent - 0.3 * n) < 5 * sqrt(n * 0.3 * 0.7));
	tear_down(&s);
}

// F(3,2): host 4 = (1,0,0), half 0, digits 1,0,0 -> transposed (0,1,0), reversed (0,0,1), other
// half.
TEST(digits_move)
{
	static const uint32_t tree[2] = {3, 2};
	struct stage s;

	assert_int_equal(set_up(&s, tree, "transpose", 1), 0);
	drb_traffic_slot(&s.traffic, &s.rng, 0, s.dest);
	assert_int_equal(s.dest[4], 8 + 1);
	assert_int_equal(s.dest[1], 8 + 2);
	tear_down(&s);
	assert_int_equal(set_up(&s, tree, "reversal", 1), 0);
	drb_traffic_slot(&s.traffic, &s.rng, 0, s.dest);
	assert_int_equal(s.dest[4], 8 + 1);
	assert_int_equal(s.dest[8 + 3], 6);
	tear_down(&s);
}

TEST(misfits_are_refused)
{
	static const uint32_t tree[2] = {3, 2};
	static const struct {
		const char *text;
		double rho;
		int error;
	} cases[] = {
		{"stride:15", 1, 0},   {"stride:16", 1, -34}, {"incast:15", 1, 0},
		{"incast:16", 1, -34}, {"hotspot:16", 1, 0},  {"hotspot:17", 1, -34},
		{"jobs:8", 1, 0},      {"jobs:9", 1, -34},    {"file:unread", 1, -22},
		{"random", 1.01, -22}, {"random", NAN, -22},  {"random", -0.1, -22},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage s;
		assert_int_equal(set_up(&s, tree, cases[i].text, cases[i].rho), cases[i].error);
		tear_down(&s);
	}
}

TEST_MAIN(NULL, NULL)
