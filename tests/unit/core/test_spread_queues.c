// SPDX-License-Identifier: BSD-3-Clause
// Scheme walk's evidence by long queues: those of down-links, and of uplinks beside dead ones.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "core/routing/spread.h"

#define ARITY 4

struct stage {
	struct drb_tree t;
	struct drb_spread s;
	uint64_t memory[DRB_SPREAD_WORDS(ARITY, 2 * ARITY)];
	uint32_t now;
};

static void set_up_layer(struct stage *stage, uint32_t layer)
{
	const struct drb_spread_setup setup = {
		.tree = &stage->t, .layer = layer, .packet_time = 1, .rate = 1};

	assert_int_equal(drb_tree_init(&stage->t, 3, ARITY), 0);
	drb_spread_init(&stage->s, &setup, stage->memory);
	stage->now = 0;
}

static void pass_window(struct stage *stage)
{
	stage->now += DRB_SPREAD_WINDOW;
	assert_true(drb_spread_tick(&stage->s, stage->now, 0));
}

// Ends a window with this many packets in one down-link queue, or in the shortest uplink queue
// beside dead uplinks.
static void look(struct stage *stage, uint32_t packets, bool up)
{
	uint32_t waiting[2 * ARITY] = {0};

	pass_window(stage);
	if (up) {
		drb_spread_join(&stage->s, packets + 100);
		drb_spread_join(&stage->s, packets);
		drb_spread_join(&stage->s, packets + 1);
	} else {
		waiting[3] = packets;
	}
	drb_spread_look(&stage->s, waiting);
}

// Windows until a switch has evidence, or has none any more.
static uint32_t windows_until(struct stage *stage, uint32_t packets, bool evidence, uint32_t most,
			      bool up)
{
	uint32_t windows = 0;

	while (windows < most && (stage->s.evidence == DRB_SPREAD_BY_QUEUES) != evidence) {
		look(stage, packets, up);
		windows++;
	}
	return windows;
}

// A down-link queue that stays long is evidence, and a very long one is evidence at once. Queues to
// hosts are not. The evidence is held for a while, and for longer each time that it soon returns.
// Usable uplinks that are all long count alike.
TEST(long_queues_are_seen)
{
	enum { MANY = 10000 };

	for (uint32_t i = 0; i < 6; i++) {
		const bool up = i % 2;
		const uint32_t layer = 1 + i / 2, most = (up ? 2 : 6) * ARITY;
		struct stage stage;
		set_up_layer(&stage, layer);
		if (layer == 1) {
			assert_int_equal(windows_until(&stage, 1000, true, MANY, up), MANY);
			continue;
		}
		assert_int_equal(windows_until(&stage, most, true, MANY, up), MANY);
		assert_int_equal(windows_until(&stage, most + 1, true, MANY, up),
				 DRB_SPREAD_BURSTS);
		assert_int_equal(stage.s.distance, 1);
		// The evidence lasts while the queue is not drained.
		assert_int_equal(windows_until(&stage, 5, false, MANY, up), MANY);
		uint32_t held = windows_until(&stage, 0, false, MANY, up);
		assert_in_range(held, DRB_SPREAD_LASTS, DRB_SPREAD_LASTS + 1);
		assert_int_equal(windows_until(&stage, 2 * most + 1, true, MANY, up), 1);
		assert_in_range(windows_until(&stage, 0, false, MANY, up), 2 * held - 2, 2 * held);
		for (int k = 0; k < 10; k++) {
			assert_int_equal(windows_until(&stage, 2 * most + 1, true, MANY, up), 1);
			windows_until(&stage, 0, false, MANY, up);
		}
		windows_until(&stage, 2 * most + 1, true, MANY, up);
		assert_in_range(windows_until(&stage, 0, false, MANY, up), 16 * held - 20,
				16 * held);
		windows_until(&stage, 0, true, MANY, up); // long after
		windows_until(&stage, 2 * most + 1, true, MANY, up);
		assert_int_equal(windows_until(&stage, 0, false, MANY, up), held);
	}
}

// A second model, from the whole history. lengths[0..n) end with a queue that stands if a condition
// holds since it was last drained. Counted from the first length above `most`, either one length
// exceeds twice `most`, or there are BURSTS lengths.
static bool stands_by_history(const uint32_t lengths[], uint32_t n, uint32_t most)
{
	uint32_t first = n, begin;

	while (first > 0 && lengths[first - 1] > 4)
		first--;
	while (first < n && lengths[first] <= most)
		first++;
	for (begin = first; begin < n; begin++)
		if (lengths[begin] > 2 * most)
			return true;
	return n - first >= DRB_SPREAD_BURSTS;
}

TEST(queues_stand_as_their_history_says)
{
	enum { WINDOWS = 600, QUEUES = 3 };
	struct drb_rng rng = drb_rng_seed(9, 0);
	uint32_t stood = 0;

	for (uint32_t run = 0; run < 100; run++) {
		uint32_t lengths[QUEUES][WINDOWS], waiting[2 * ARITY] = {0}, last = 0;
		const uint32_t step = 1 + drb_rng_below(&rng, 6);
		bool ever = false;
		struct stage stage;
		set_up_layer(&stage, 2);
		for (uint32_t n = 1; n <= WINDOWS; n++) {
			bool expected = false;
			for (uint32_t q = 0; q < QUEUES; q++) {
				uint32_t most = (q ? 6 : 2) * ARITY,
					 more = drb_rng_below(&rng, 2 * step);
				uint32_t before = n > 1 ? lengths[q][n - 2] : 0;
				lengths[q][n - 1] = before + more < step ? 0 : before + more - step;
				expected |= stands_by_history(lengths[q], n, most);
				waiting[q] = lengths[q][n - 1];
			}
			pass_window(&stage);
			if (waiting[0] > 0) // otherwise no packet joined an uplink
				drb_spread_join(&stage.s, waiting[0]);
			waiting[0] = 0;
			drb_spread_look(&stage.s, waiting);
			last = expected ? n : last;
			ever |= expected;
			stood += expected;
			if (expected || !ever)
				assert_int_equal(stage.s.evidence,
						 expected ? DRB_SPREAD_BY_QUEUES : 0);
		}
	}
	assert_in_range(stood, 1000, 59000);
}

TEST_MAIN(NULL, NULL)
