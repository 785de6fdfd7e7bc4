// SPDX-License-Identifier: BSD-3-Clause
// Latencies of packets that are known by their contents only. No reported latency is wrong, and all
// are reported if the packets can be distinguished.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "gen/captures/pairs.h"

#define SENDINGS 400

static void keep(struct moments *m, uint32_t kind, uint64_t ns)
{
	moments_add(m, kind, ns);
}

// The latencies that are certain; returns their number.
static size_t latencies(struct moments *sent, struct moments *arrived, uint64_t *latency)
{
	struct outcome outcome[SENDINGS];
	size_t certain = 0;

	pairs_find(sent, arrived, outcome);
	for (size_t i = 0; i < sent->count; i++) {
		if (outcome[i].latency_ns != LATENCY_UNKNOWN)
			latency[certain++] = outcome[i].latency_ns;
	}
	return certain;
}

// Packets of one kind: times of sending and arrival, ended by 0, and the latencies that are
// certain.
struct history {
	const char *what;
	uint64_t sent[5], arrived[6], latency[5];
};

static const struct history histories[] = {
	{"one", {10}, {15}, {5}},
	{"one after the other", {10, 20, 30}, {15, 29, 31}, {5, 9, 1}},
	{"two under way at once", {10, 20, 30}, {25, 26, 33}, {3}},
	{"overtaken or late", {10, 20}, {25, 28}, {0}},
	{"the last two lost", {10, 20, 30}, {15}, {5}},
	{"the first lost", {10, 20, 30}, {25, 35}, {0}},
	{"one in the middle lost", {10, 20, 30, 40}, {15, 35, 45}, {5}},
	{"one twice", {10, 20, 30}, {15, 17, 25, 35}, {0}},
	{"the last twice", {10, 20}, {15, 25, 27}, {5}},
	{"all lost", {10, 20}, {0}, {0}},
	{"before it was sent", {10}, {5}, {0}},
};

TEST(what_is_certain)
{
	for (size_t h = 0; h < ARRAY_SIZE(histories); h++) {
		const struct history *x = &histories[h];
		struct moments sent, arrived;
		uint64_t latency[5] = {0};
		assert_int_equal(moments_make(&sent, 5), 0);
		assert_int_equal(moments_make(&arrived, 6), 0);
		for (size_t i = 0; i < 5 && x->sent[i]; i++)
			keep(&sent, 7, x->sent[i]);
		for (size_t i = 0; i < 6 && x->arrived[i]; i++)
			keep(&arrived, 7, x->arrived[i]);
		size_t pairs = latencies(&sent, &arrived, latency), want = 0;
		while (want < 5 && x->latency[want])
			want++;
		if (pairs != want)
			fail_msg("%s: %zu latencies", x->what, pairs);
		for (size_t i = 0; i < pairs; i++)
			assert_int_equal(latency[i], x->latency[i]);
		moments_free(&sent);
		moments_free(&arrived);
	}
}

// The fate of each packet: A arrived, L lost, ? unknown.
TEST(fates)
{
	static const struct {
		uint64_t sent[3], arrived[3];
		const char *fate;
	} cases[] = {
		{{10, 20, 30}, {15, 25, 35}, "AAA"}, {{10, 20, 30}, {25, 26, 33}, "AAA"},
		{{10, 20, 30}, {0}, "LLL"},          {{10, 20, 30}, {15}, "ALL"},
		{{10, 20, 30}, {15, 35}, "A??"},
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		struct moments sent, arrived;
		struct outcome outcome[3];
		assert_int_equal(moments_make(&sent, 3), 0);
		assert_int_equal(moments_make(&arrived, 3), 0);
		for (size_t i = 0; i < 3; i++) {
			keep(&sent, 7, cases[c].sent[i]);
			if (cases[c].arrived[i])
				keep(&arrived, 7, cases[c].arrived[i]);
		}
		pairs_find(&sent, &arrived, outcome);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal("?AL"[outcome[i].fate], cases[c].fate[i]);
		moments_free(&sent);
		moments_free(&arrived);
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

// True if every element of part is an element of all; both are sorted.
static bool is_part_of(const uint64_t *part, size_t parts, const uint64_t *all, size_t count)
{
	size_t k = 0;

	for (size_t i = 0; i < parts; i++, k++) {
		while (k < count && all[k] != part[i])
			k++;
		if (k == count)
			return false;
	}
	return true;
}

// Every latency of a random run is different, so that a wrong pair shows. Packets of a few kinds
// are delayed, overtaken and lost.
TEST(never_wrong)
{
	struct drb_rng rng = drb_rng_seed(3, 0);
	size_t found = 0, certain = 0;

	for (uint32_t run = 0; run < 300; run++) {
		uint32_t kinds = 1 + drb_rng_below(&rng, 2 * SENDINGS);
		uint64_t truth[SENDINGS], latency[SENDINGS];
		struct moments sent, arrived;
		size_t delivered = 0;
		assert_int_equal(moments_make(&sent, SENDINGS), 0);
		assert_int_equal(moments_make(&arrived, SENDINGS), 0);
		for (uint64_t i = 0; i < SENDINGS; i++) {
			uint32_t kind = drb_rng_below(&rng, kinds);
			uint64_t at = 1 + i * 1000000,
				 late = 1 + drb_rng_below(&rng, 4000) * 1000 + i;
			keep(&sent, kind, at);
			if (drb_rng_below(&rng, 10) < run % 3)
				continue;
			keep(&arrived, kind, at + late);
			truth[delivered++] = late;
		}
		size_t pairs = latencies(&sent, &arrived, latency);
		qsort(truth, delivered, sizeof(*truth), ascending);
		qsort(latency, pairs, sizeof(*latency), ascending);
		assert_true(is_part_of(latency, pairs, truth, delivered));
		found += pairs;
		certain += kinds > SENDINGS && run % 3 == 0;
		moments_free(&sent);
		moments_free(&arrived);
	}
	assert_true(certain > 0 && found > 20000);
}

TEST(packets_of_their_own_are_all_found)
{
	struct moments sent, arrived;
	uint64_t latency[SENDINGS], sum = 0;

	assert_int_equal(moments_make(&sent, SENDINGS), 0);
	assert_int_equal(moments_make(&arrived, SENDINGS), 0);
	for (uint64_t i = 0; i < SENDINGS; i++)
		keep(&sent, (uint32_t)i, i + 1);
	for (uint64_t i = SENDINGS; i-- > 0;)
		keep(&arrived, (uint32_t)i, 2 * SENDINGS + 2 * i); // in the order of another clock
	assert_int_equal(latencies(&sent, &arrived, latency), SENDINGS);
	for (uint64_t i = 0; i < SENDINGS; i++)
		sum += latency[i];
	assert_int_equal(sum, SENDINGS * (2 * SENDINGS - 1) + SENDINGS * (SENDINGS - 1) / 2);
	moments_free(&sent);
	moments_free(&arrived);
}

// Times that are no longer kept make no latency certain.
TEST(long_replays_are_cut)
{
	struct moments sent, arrived;
	uint64_t latency[4];

	assert_int_equal(moments_make(&sent, 3), 0);
	assert_int_equal(moments_make(&arrived, 3), 0);
	for (uint64_t i = 0; i < 5; i++) {
		keep(&sent, 1, 100 * i + 1);
		keep(&arrived, 1, 100 * i + 51);
	}
	assert_int_equal(latencies(&sent, &arrived, latency), 3);
	moments_free(&sent);
	moments_free(&arrived);
	assert_int_equal(moments_make(&sent, 3), 0);
	assert_int_equal(moments_make(&arrived, 1), 0);
	for (uint64_t i = 0; i < 3; i++) {
		keep(&sent, 1, 100 * i + 1);
		keep(&arrived, 1, 100 * i + 151);
	}
	assert_int_equal(latencies(&sent, &arrived, latency), 0);
	moments_free(&sent);
	moments_free(&arrived);
	assert_int_equal(moments_make(&sent, UINT64_MAX), 0);
	assert_int_equal(sent.room, MOMENTS_MAX);
	moments_free(&sent);
}

TEST_MAIN(NULL, NULL)
