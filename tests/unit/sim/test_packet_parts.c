// SPDX-License-Identifier: BSD-3-Clause
// A run that several threads share has the figures of one thread, to the last digit.
#include "fixtures/packet_run.h"

#include "core/math/skip.h"

#include "sim/models/crew.h"
#include "sim/models/packet_sim.h"

static struct drb_skip skip;

TEST(skipping_equals_drawing)
{
	struct drb_rng drawn = drb_rng_seed(3, 4), skipped;
	uint64_t draws = 0;

	drb_skip_init(&skip);
	for (uint64_t next = 0; next < 20000000; next = next < 600 ? next + 1 : next * 3 / 2) {
		for (; draws < next; draws++)
			drb_rng_next(&drawn);
		skipped = drb_rng_seed(3, 4);
		drb_rng_skip(&skip, &skipped, next);
		assert_memory_equal(&skipped, &drawn, sizeof(drawn));
	}
}

// Digits that no test can draw: two skips equal one.
TEST(skips_add_up)
{
	for (int i = 0; i < 1000; i++) {
		struct drb_rng draw = drb_rng_seed(5, (uint64_t)i), once = draw, twice = draw;
		const uint64_t a = drb_rng_next(&draw) % (DRB_SKIP_MOST / 2);
		const uint64_t b = drb_rng_next(&draw) % (DRB_SKIP_MOST / 2);
		drb_rng_skip(&skip, &once, a + b);
		drb_rng_skip(&skip, &twice, a);
		drb_rng_skip(&skip, &twice, b);
		assert_memory_equal(&once, &twice, sizeof(once));
	}
}

#define EACH 19 // items of each thread

static void note(void *context, uint32_t item)
{
	((uint32_t *)context)[item]++;
}

TEST(crews_do_each_item_once)
{
	for (uint32_t threads = 1; threads <= 16; threads += 5) {
		struct drb_crew *crew = drb_crew_new(threads, EACH);
		uint32_t done[16 * EACH] = {0};
		for (uint32_t job = 1; job <= 200; job++) {
			drb_crew_run(crew, note, done);
			for (uint32_t i = 0; i < 16 * EACH; i++)
				assert_int_equal(done[i], i < threads * EACH ? job : 0);
		}
		drb_crew_free(crew);
	}
}

#define FAULT(at, of_kind, ...)                                                                    \
	{                                                                                          \
		.slot = at, .kind = DRB_FAULT_##of_kind, .what = { __VA_ARGS__ }                   \
	}

static const struct drb_fault faults[] = {
	FAULT(10, CUT, {1, 3, 0, true}, false),
	FAULT(20, CUT, {2, 5, 0, true}, true),
	FAULT(25, GRAY, {3, 1, 0, true}, true),
	{.slot = 30, .kind = DRB_FAULT_SLOW, .what.end = {1, 7, 2, true}, .pace = 5},
	FAULT(60, MEND, {2, 5, 0, true}, true),
	FAULT(70, MEND, {3, 1, 0, true}, true),
};

static const struct row {
	uint32_t layers, arity, uplinks;
	const char *traffic;
	double rho;
	struct drb_fail fail;
	uint32_t faults, gray;
	struct drb_slow slow;
	struct drb_delay delay;
	bool detail, links;
} rows[] = {
	{3, 5, 0, "permutation", .9, .detail = false},
	{3, 5, 0, "fixed", .95, .detail = true},
	{3, 5, 0, "hotspot:2", .8, .links = true},
	{2, 64, 0, "random", .97, .detail = true, .links = true},
	{3, 5, 3, "permutation", .5, .detail = false},
	{3, 5, 0, "permutation", .9, .fail = {.links = 30}},
	{3, 5, 0, "racks:0.3", .8, .fail = {.switches = 3}, .detail = true},
	{3, 5, 0, "permutation", .8, .faults = ARRAY_SIZE(faults), .links = true},
	{3, 5, 0, "permutation", .8, .faults = ARRAY_SIZE(faults), .fail = {.links = 9}},
	{3, 5, 0, "permutation", .7, .gray = 9, .detail = true},
	{3, 5, 0, "permutation", .7, .slow = {20, 3}},
	{3, 5, 0, "permutation", .8, .delay = {.link = {0, 2, 0, 3}}},
	{3, 5, 0, "permutation", .8, .delay = {.link = {0, 1, 1, 1}, .loads = 4}, .detail = true},
};

static struct drb_packet_setup setup_of(const struct row *row, enum drb_scheme scheme)
{
	struct drb_packet_setup s = {
		.scheme = scheme,
		.choices = 2,
		.threshold = drb_threshold_packet(row->rho),
		.rho = row->rho,
		.slots = 80,
		.stats = 50,
		.most_slots = 120,
		.seed = 9,
		.memory = UINT64_C(64) << 20,
		.fail = row->fail,
		.faults = {faults, row->faults, .detect = 7, .gray = {row->gray, 15}},
		.slow = row->slow,
		.delay = row->delay,
		.detail = row->detail,
		.links = row->links,
	};

	assert_int_equal(drb_tree_init_uplinks(&s.tree, row->layers, row->arity,
					       row->uplinks ? row->uplinks : row->arity),
			 0);
	assert_int_equal(drb_traffic_parse(row->traffic, &s.traffic), 0);
	return s;
}

static struct drb_packet_sim *run(const struct drb_packet_setup *s, struct drb_packet_result *r)
{
	struct drb_packet_sim *sim;

	memset(r, 0, sizeof(*r));
	assert_int_equal(drb_packet_new(&sim, s), 0);
	drb_packet_run(sim, r);
	return sim;
}

static void assert_equal(const struct drb_packet_sim *a, const struct drb_packet_sim *b)
{
	const struct drb_packet_count count = drb_packet_counted(a), other = drb_packet_counted(b);

	assert_memory_equal(&count, &other, sizeof(count));
	assert_int_equal(count.in, count.out + count.inside + count.lost);
	for (uint64_t i = 0; a->links && i < drb_packet_links(&a->setup.tree); i++) {
		const struct drb_link_figures x = drb_packet_link(a, i), y = drb_packet_link(b, i);
		assert_true(x.use == y.use && x.queue_mean == y.queue_mean);
		assert_int_equal(x.queue_max, y.queue_max);
		assert_int_equal(x.growing, y.growing);
	}
}

TEST(threads_do_not_change_figures)
{
	static const uint32_t threads[] = {2, 3, 16};

	for (uint32_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(threads); i++) {
		struct drb_packet_setup s = setup_of(&rows[i / ARRAY_SIZE(threads)],
						     (enum drb_scheme)(i % DRB_SCHEME_COUNT));
		struct drb_packet_result alone, shared;
		struct drb_packet_sim *one = run(&s, &alone);
		s.threads = threads[i % ARRAY_SIZE(threads)];
		struct drb_packet_sim *some = run(&s, &shared);
		assert_memory_equal(&alone, &shared, sizeof(alone));
		assert_equal(one, some);
		drb_packet_free(one);
		drb_packet_free(some);
	}
}

// Counts are whole after each slot.
TEST(counts_hold_in_each_slot)
{
	struct drb_packet_setup s = setup_of(&rows[7], DRB_SCHEME_WALK);
	struct drb_packet_sim *one, *some;

	assert_int_equal(drb_packet_new(&one, &s), 0);
	s.threads = 3;
	assert_int_equal(drb_packet_new(&some, &s), 0);
	for (int i = 0; i < 90; i++) {
		assert_int_equal(drb_packet_step(one), 0);
		assert_int_equal(drb_packet_step(some), 0);
		assert_equal(one, some);
	}
	drb_packet_free(one);
	drb_packet_free(some);
}

// Threads run out of memory where one does, or earlier.
TEST(memory_ends_no_later)
{
	struct drb_packet_setup s = setup_of(&rows[2], DRB_SCHEME_DMODK);
	const uint64_t least = drb_packet_bytes(&s);
	struct drb_packet_result alone, shared;
	uint32_t ended = 0;

	do {
		s.threads = 1;
		s.memory = least + (UINT64_C(1) << 12 << ended);
		drb_packet_free(run(&s, &alone));
		s.threads = 3;
		drb_packet_free(run(&s, &shared));
		assert_true(shared.out_of_memory || !alone.out_of_memory);
		ended += alone.out_of_memory;
	} while (shared.out_of_memory && alone.out_of_memory);
	assert_true(ended > 3);
}

TEST_MAIN(NULL, NULL)
