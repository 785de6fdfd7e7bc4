// SPDX-License-Identifier: BSD-3-Clause
// Patterns in which hosts have roles: which host sends to which, how much, and which keep their
// destination.
#include "fixtures/unit.h"

#include "core/traffic/traffic.h"

#define HOSTS_MAX 432
#define SLOTS 600

// The results of a run.
struct seen {
	struct drb_tree t;
	uint32_t racks, pods;
	uint32_t sent[HOSTS_MAX], got[HOSTS_MAX]; // packets
	uint32_t first[HOSTS_MAX];                // destination; DRB_NO_LABEL: none
	bool keeps[HOSTS_MAX];                    // sends to one host only
	uint32_t keeping;                         // racks whose hosts all keep their destination
};

static uint32_t rack_of(const struct seen *s, uint32_t h)
{
	return h / s->t.arity;
}

static uint32_t pod_of(const struct seen *s, uint32_t h)
{
	return h / (s->t.hosts / s->pods);
}

static void count_slot(struct seen *s, const uint32_t dest[])
{
	bool taken[HOSTS_MAX] = {false};

	for (uint32_t h = 0; h < s->t.hosts; h++) {
		if (dest[h] == DRB_NO_LABEL)
			continue;
		assert_true(dest[h] < s->t.hosts && dest[h] != h);
		assert_false(taken[dest[h]]); // no host receives two packets in a slot
		taken[dest[h]] = true;
		if (s->first[h] == DRB_NO_LABEL)
			s->first[h] = dest[h];
		s->keeps[h] &= dest[h] == s->first[h];
		s->sent[h]++;
		s->got[dest[h]]++;
	}
}

static struct seen see(uint32_t layers, uint32_t arity, const char *text, uint64_t seed)
{
	struct drb_rng rng = drb_rng_seed(seed, 0);
	struct drb_traffic_kind kind;
	struct drb_traffic traffic;
	struct seen s = {.pods = 2 * arity};
	uint32_t dest[HOSTS_MAX];

	assert_int_equal(drb_tree_init(&s.t, layers, arity), 0);
	s.racks = drb_tree_switches(&s.t, 1);
	assert_int_equal(drb_traffic_parse(text, &kind), 0);
	uint32_t *memory = calloc(drb_traffic_words(&kind, s.t.hosts), sizeof(*memory));
	const struct drb_traffic_setup setup = {&s.t, kind, 1, memory};
	assert_int_equal(drb_traffic_init(&traffic, &setup, &rng), 0);
	memset(s.keeps, true, sizeof(s.keeps));
	memset(s.first, 0xff, sizeof(s.first));
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		drb_traffic_slot(&traffic, &rng, slot, dest);
		count_slot(&s, dest);
	}
	for (uint32_t r = 0; r < s.racks; r++) {
		bool all = true;
		for (uint32_t h = r * arity; h < (r + 1) * arity; h++)
			all &= s.keeps[h] && s.sent[h] > 0;
		s.keeping += all;
	}
	free(memory);
	return s;
}

static bool about(uint32_t count, double p)
{
	return fabs(count - SLOTS * p) <= 5 * sqrt(SLOTS * p * (1 - p));
}

TEST(half_of_the_pods_send)
{
	static const struct {
		const char *text;
		double answers, keep;
	} cases[] = {{"oneway:0.5:0", 0, 0.5}, {"oneway:0:0.25", 0.25, 0}, {"oneway:1:1", 1, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen s = see(3, 4, cases[i].text, i);
		uint32_t senders = 0;
		for (uint32_t h = 0; h < s.t.hosts; h++) {
			bool sends = s.got[h] != SLOTS;
			if (cases[i].answers < 1) {
				assert_true(sends ? s.sent[h] == SLOTS
						  : about(s.sent[h], cases[i].answers));
				assert_true(!sends || about(s.got[h], cases[i].answers));
				// All hosts of a pod are alike, and senders send to hosts that do
				// not send.
				uint32_t pod = s.t.hosts / s.pods * pod_of(&s, h);
				assert_int_equal(sends, s.got[pod] != SLOTS);
				if (sends)
					assert_int_equal(s.got[s.first[h]], SLOTS);
			}
			senders += sends;
		}
		if (cases[i].answers < 1)
			assert_int_equal(senders, s.t.hosts / 2);
		assert_int_equal(s.keeping, (uint32_t)(cases[i].keep * s.racks / 2));
	}
}

TEST(a_pod_only_receives)
{
	struct seen s = see(3, 4, "sink:0.5", 1);
	uint32_t in_pod = s.t.hosts / s.pods, sink = 0, kept = 0, with_digit[4] = {0};

	while (s.sent[sink])
		sink += in_pod;
	for (uint32_t h = 0; h < s.t.hosts; h++) {
		assert_int_equal(s.sent[h], pod_of(&s, h) == pod_of(&s, sink) ? 0 : SLOTS);
		if (!s.sent[h] || !s.keeps[h])
			continue;
		kept++;
		assert_int_equal(pod_of(&s, s.first[h]), pod_of(&s, sink));
		with_digit[s.first[h] % 4]++;
		// All hosts of a rack share one uplink.
		assert_int_equal(s.first[h] % 4, s.first[rack_of(&s, h) * 4] % 4);
	}
	assert_int_equal(kept, in_pod / 2);
	assert_int_equal(s.keeping, 2);
	assert_int_equal(with_digit[0] + with_digit[1], kept);
}

TEST(some_racks_are_silent)
{
	struct seen s = see(3, 4, "silent:0.25", 2);
	uint32_t silent = 0;

	for (uint32_t h = 0; h < s.t.hosts; h++) {
		assert_true(s.sent[h] == s.got[h] && (s.sent[h] == 0 || s.sent[h] == SLOTS));
		assert_int_equal(s.sent[h], s.sent[rack_of(&s, h) * 4]);
		silent += s.sent[h] == 0;
	}
	assert_int_equal(silent, s.t.hosts / 4);
	assert_int_equal(s.keeping, s.racks * 3 / 8);
	// Two hosts remain, whatever share is silent.
	s = see(2, 1, "silent:0.9", 1);
	silent = 0;
	for (uint32_t h = 0; h < s.t.hosts; h++)
		silent += s.sent[h] == 0;
	assert_true(silent <= s.t.hosts - 2);
}

TEST(some_hosts_are_idle)
{
	const struct seen s = see(3, 4, "idle:0.125", 4);
	uint32_t idle = 0;

	for (uint32_t h = 0; h < s.t.hosts; h++) {
		assert_true(s.sent[h] == s.got[h] && (s.sent[h] == 0 || s.sent[h] == SLOTS));
		assert_true(s.sent[h] == 0 || !s.keeps[h]);
		idle += s.sent[h] == 0;
	}
	assert_int_equal(idle, s.t.hosts / 8);
}

TEST(some_racks_send_little)
{
	struct seen s = see(3, 4, "unequal:0.25", 3);
	uint32_t much = 0;

	for (uint32_t h = 0; h < s.t.hosts; h++) {
		bool all = s.sent[h] == SLOTS;
		assert_true(all || about(s.sent[h], 0.1));
		assert_int_equal(all, s.sent[rack_of(&s, h) * 4] == SLOTS);
		much += all;
	}
	assert_int_equal(much, s.t.hosts / 4);
	assert_true(s.keeping >= s.racks / 2);
}

// The checks of count_slot() hold on every fabric, with every seed.
TEST(all_are_admissible)
{
	static const char *const texts[] = {"oneway:0.3:0.2", "sink:0.1",  "sink:1",   "silent:0.5",
					    "unequal:0.1",    "idle:0.05", "idle:0.99"};
	static const uint32_t trees[][2] = {{1, 1}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}, {3, 5}};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		for (size_t t = 0; t < ARRAY_SIZE(trees); t++) {
			for (uint64_t seed = 0; seed < 5; seed++)
				see(trees[t][0], trees[t][1], texts[i], seed);
		}
	}
}

TEST_MAIN(NULL, NULL)
