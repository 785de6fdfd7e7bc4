// SPDX-License-Identifier: BSD-3-Clause
// Scheme walk's law, windows and marks, and how marks die out.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "core/routing/spread.h"

#define UPLINKS_MAX 24

struct stage {
	struct drb_tree t;
	struct drb_spread s;
	uint64_t memory[DRB_SPREAD_WORDS(UPLINKS_MAX, 2 * UPLINKS_MAX)];
	struct drb_rng rng;
	uint32_t now;
	bool silent; // nothing comes from above; otherwise as many packets as are sent up, without
		     // marks
};

static void restart(struct stage *stage, uint32_t packet_time, double rate)
{
	const struct drb_spread_setup setup = {
		.tree = &stage->t, .layer = 1, .packet_time = packet_time, .rate = rate};

	drb_spread_init(&stage->s, &setup, stage->memory);
}

static void set_up(struct stage *stage, uint32_t layers, uint32_t arity)
{
	assert_int_equal(drb_tree_init(&stage->t, layers, arity), 0);
	restart(stage, 1, 1);
	stage->rng = drb_rng_seed(1, 0);
	stage->now = 0;
	stage->silent = false;
}

// One slot: each of the d ports below receives a packet with probability rho, which has the default
// of its flow. Every `fresh` slots the flows' defaults are drawn anew; 0: never.
static void slot(struct stage *stage, double rho, uint32_t def[], uint32_t fresh)
{
	uint32_t d = stage->t.arity;

	drb_spread_tick(&stage->s, stage->now, 0);
	for (uint32_t i = 0; i < d; i++) {
		if (fresh && stage->now % fresh == 0)
			def[i] = drb_rng_below(&stage->rng, d);
		if (drb_rng_unit(&stage->rng) >= rho)
			continue;
		drb_spread_count(&stage->s, def[i], 1, 1);
		if (!stage->silent)
			drb_spread_hear(&stage->s, 0);
	}
	stage->now++;
}

// Slots until the switch spreads, or UINT32_MAX.
static uint32_t begins(struct stage *stage, double rho, uint32_t def[], uint32_t fresh,
		       uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++) {
		slot(stage, rho, def, fresh);
		if (stage->s.distance)
			return i;
	}
	return UINT32_MAX;
}

static uint32_t ends(struct stage *stage, double rho, uint32_t def[], uint32_t fresh)
{
	uint32_t slots = 0;

	while (stage->s.distance && slots < 100000) {
		slot(stage, rho, def, fresh);
		slots++;
	}
	return slots;
}

TEST(random_defaults_are_left_alone)
{
	static const struct {
		uint32_t layers, arity;
		double rho;
	} cases[] = {{3, 4, 0.7},  {3, 8, 0.5},   {3, 8, 0.9},  {3, 8, 0.95},
		     {4, 6, 0.95}, {3, 24, 0.97}, {3, 12, 0.95}};
	uint32_t def[UPLINKS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stage stage;
		set_up(&stage, cases[i].layers, cases[i].arity);
		assert_int_equal(begins(&stage, cases[i].rho, def, 1, 200000), UINT32_MAX);
	}
}

// Each flow has its own uplink: nothing overflows at full rate.
TEST(disjoint_flows_are_left_alone)
{
	static const double loads[] = {0.1, 0.5, 0.9, 0.99, 1};
	uint32_t def[UPLINKS_MAX];

	for (uint32_t i = 0; i < UPLINKS_MAX; i++)
		def[i] = i;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		for (uint32_t d = 2; d <= UPLINKS_MAX; d *= 2) {
			struct stage stage;
			set_up(&stage, 3, d);
			assert_int_equal(begins(&stage, loads[i], def, 0, 20000), UINT32_MAX);
		}
	}
}

TEST(colliding_flows_are_spread_at_once)
{
	uint32_t def[UPLINKS_MAX];

	for (uint32_t d = 2; d <= UPLINKS_MAX; d++) {
		struct stage stage;
		set_up(&stage, 3, d);
		memset(def, 0, sizeof(def)); // all flows want one uplink
		assert_true(begins(&stage, 0.9, def, 0, 100) <= 2 * DRB_SPREAD_WINDOW);
		assert_int_equal(stage.s.distance, 1);
		// Then the flows are disjoint. Evidence of the last windows is forgotten.
		for (uint32_t i = 0; i < d; i++)
			def[i] = i;
		assert_true(ends(&stage, 0.9, def, 0) <= 2 * DRB_SPREAD_LASTS * DRB_SPREAD_WINDOW);
	}
}

// A load that one uplink can carry is no evidence, however uneven the uplinks are.
TEST(collisions_below_the_rate_are_left_alone)
{
	uint32_t def[8] = {0};
	struct stage stage;

	set_up(&stage, 3, 8);
	assert_int_equal(begins(&stage, 0.1, def, 0, 50000), UINT32_MAX);
}

TEST(bursts_are_spread_soon)
{
	uint32_t def[8];

	for (uint32_t fresh = 4; fresh <= 64; fresh *= 2) {
		struct stage stage;
		set_up(&stage, 3, 8);
		uint32_t after = begins(&stage, 0.9, def, fresh, 10000);
		assert_true(after <= 2 * DRB_SPREAD_BURSTS * DRB_SPREAD_WINDOW);
		assert_true(ends(&stage, 0.9, def, 1) <= 2 * DRB_SPREAD_LASTS * DRB_SPREAD_WINDOW);
	}
}

// Defaults overflow one uplink by a tenth; apart from that the packets are as even as possible.
TEST(lasting_overflow_is_found)
{
	struct stage stage;
	uint32_t slots = 0;

	set_up(&stage, 3, 8);
	for (; stage.s.evidence == 0 && slots < 10000; slots++) {
		drb_spread_tick(&stage.s, slots, 0);
		for (uint32_t u = 0; u < 8; u++)
			drb_spread_count(&stage.s, u, 1, 1);
		if (slots % 3 == 0) {
			stage.s.count[1] -= UINT64_C(1) << 40 | 1;
			drb_spread_count(&stage.s, 0, 1, 1);
		}
	}
	assert_true(slots <= DRB_SPREAD_LASTS * DRB_SPREAD_WINDOW + DRB_SPREAD_WINDOW + 1);
	assert_int_equal(stage.s.evidence, DRB_SPREAD_BY_LASTING);
}

// The same in bytes of frames of mixed sizes, on links of 1000 bytes a slot.
TEST(sizes_are_octets)
{
	for (int collide = 0; collide <= 1; collide++) {
		struct stage stage;
		set_up(&stage, 3, 8);
		restart(&stage, 100, 10);
		bool spread = false;
		for (uint32_t now = 0; now < 2000000; now += 100) {
			drb_spread_tick(&stage.s, now, 0);
			for (uint32_t i = 0; i < 8; i++) {
				uint32_t small = drb_rng_below(&stage.rng, 2);
				uint32_t def = collide ? i / 2 : drb_rng_below(&stage.rng, 8);
				drb_spread_count(&stage.s, def, 1, small ? 60 : 1500);
			}
			spread |= stage.s.evidence > 0;
		}
		assert_int_equal(spread, collide);
	}
}

// A link with twice the rate of the others carries twice as much by default without overflowing.
TEST(rates_may_differ)
{
	static const double rate[4] = {2, 1, 0.5, 0.5};

	for (int weighed = 0; weighed <= 1; weighed++) {
		struct stage stage;
		bool spread = false;
		set_up(&stage, 3, 4);
		restart(&stage, 1, 1000);
		if (weighed) {
			double octets[4];
			for (uint32_t u = 0; u < 4; u++)
				octets[u] = 1000 * rate[u];
			drb_spread_set_rates(&stage.s, octets);
		}
		for (uint32_t now = 0; now < 20000; now++) {
			drb_spread_tick(&stage.s, now, 0);
			for (uint32_t u = 0; u < 4; u++)
				drb_spread_count(&stage.s, u, 1, (uint32_t)(rate[u] * 900));
			spread |= stage.s.evidence > 0;
		}
		assert_int_equal(spread, !weighed);
	}
}

// Without a known rate, windows are counted in packets and unevenness decides.
TEST(an_unknown_rate_will_do)
{
	for (int collide = 0; collide <= 1; collide++) {
		struct stage stage;
		set_up(&stage, 3, 8);
		restart(&stage, 1, 0);
		bool spread = false;
		for (uint32_t i = 0; i < 1000000; i++) {
			uint32_t def = drb_rng_below(&stage.rng, 8);
			drb_spread_tick(&stage.s, 0, 1);
			drb_spread_count(&stage.s, collide ? def / 2 : def, 1, 1);
			spread |= stage.s.evidence > 0;
		}
		assert_int_equal(spread, collide);
	}
}

TEST(marks_carry_the_lesser_distance)
{
	struct stage stage;

	set_up(&stage, 3, 4);
	for (uint32_t own = 0; own <= DRB_SPREAD_FAR; own++) {
		for (uint32_t came = 0; came <= DRB_SPREAD_FAR; came++) {
			stage.s.distance = (uint8_t)own;
			uint32_t want = !own || (came && came < own) ? came : own;
			assert_int_equal(drb_spread_mark(&stage.s, (uint8_t)came), want);
		}
	}
}

static void hear(struct drb_spread *s, uint32_t packets, uint8_t mark)
{
	for (uint32_t i = 0; i < packets; i++)
		drb_spread_hear(s, mark);
}

TEST(enough_marks_are_heard)
{
	const uint32_t d = 8, all = DRB_SPREAD_HEAR * d, enough = 12;
	struct stage stage;
	struct drb_spread *s = &stage.s;

	set_up(&stage, 3, d);
	for (uint8_t mark = 1; mark <= DRB_SPREAD_FAR; mark++) {
		hear(s, enough - 1, mark);
		hear(s, all - enough + 1, 0);
		assert_int_equal(s->distance, 0);
		hear(s, enough, mark);
		hear(s, all - enough, 0);
		assert_int_equal(s->distance, mark < DRB_SPREAD_LAST ? mark + 1 : 0);
	}
	// A few marks of near switches count among marks of switches farther away.
	hear(s, enough - 1, 2);
	hear(s, 1, 4);
	hear(s, all - enough, 0);
	assert_int_equal(s->distance, 5);
	// A switch's own evidence is nearer than any mark.
	s->evidence = DRB_SPREAD_AT_ONCE;
	hear(s, all, 1);
	assert_int_equal(s->distance, 1);
}

// A ring of switches in which each hears only the next. The evidence of one switch is heard by four
// more, and all forget it within five counts once it is gone. Where all hear each other, no rumour
// is kept alive either.
TEST(rumours_die)
{
	enum { SWITCHES = 20, ARITY = 4 };
	static struct stage stage[SWITCHES];

	for (int ring = 0; ring <= 1; ring++) {
		for (int i = 0; i < SWITCHES; i++)
			set_up(&stage[i], 3, ARITY);
		stage[0].s.evidence = DRB_SPREAD_AT_ONCE;
		stage[0].s.distance = 1;
		for (uint32_t count = 0; count < 40; count++) {
			uint8_t mark[SWITCHES];
			if (count == 20)
				stage[0].s.evidence = 0;
			for (int i = 0; i < SWITCHES; i++)
				mark[i] = drb_spread_mark(&stage[i].s, 0);
			for (int i = 0; i < SWITCHES; i++) {
				for (uint32_t p = 0; p < DRB_SPREAD_HEAR * ARITY; p++) {
					uint32_t from = ring ? (uint32_t)i + SWITCHES - 1 : p;
					hear(&stage[i].s, 1, mark[from % SWITCHES]);
				}
			}
			uint32_t spreading = 0;
			for (int i = 0; i < SWITCHES; i++)
				spreading += stage[i].s.distance > 0;
			if (count >= 10 && count < 20)
				assert_int_equal(spreading, ring ? DRB_SPREAD_LAST : SWITCHES);
			if (count >= 20 + DRB_SPREAD_LAST)
				assert_int_equal(spreading, 0);
		}
	}
}

// A switch that receives nothing but still sends forgets the marks that it heard.
TEST(silence_is_forgotten)
{
	uint32_t def[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct stage stage;

	set_up(&stage, 3, 8);
	stage.silent = true;
	hear(&stage.s, DRB_SPREAD_HEAR * 8, 1);
	assert_int_equal(stage.s.distance, 2);
	for (uint32_t i = 0; i < 2 * DRB_SPREAD_LASTS * DRB_SPREAD_WINDOW + 16; i++)
		slot(&stage, 0.5, def, 0);
	assert_int_equal(stage.s.heard, 0);
}

// A switch that receives less than a quarter of what it sends spreads, until it receives more.
TEST(the_deaf_spread)
{
	enum { SOON = 2 * DRB_SPREAD_DEAF * DRB_SPREAD_WINDOW };
	uint32_t def[8] = {0, 1, 2, 3, 4, 5, 6, 7};

	for (uint32_t eighths = 0; eighths <= 4; eighths += eighths == 1 ? 2 : 1) {
		struct stage stage;
		set_up(&stage, 3, 8);
		stage.silent = true;
		for (uint32_t i = 0; i < 8 * SOON; i++) {
			slot(&stage, 0.9, def, 0);
			if (i % 10 != 0) // 7.2 packets are sent a slot
				hear(&stage.s, eighths, 0);
			if (i >= SOON)
				assert_int_equal(stage.s.distance, eighths < 2 ? 2 : 0);
		}
		assert_int_equal(stage.s.evidence, 0);
		stage.silent = false;
		for (uint32_t i = 0; i < SOON; i++)
			slot(&stage, 0.9, def, 0);
		assert_int_equal(stage.s.distance, 0);
		// Links without a rate have no queues.
		restart(&stage, 1, 0);
		for (uint32_t i = 0; i < 100000; i++) {
			drb_spread_tick(&stage.s, 0, 1);
			drb_spread_count(&stage.s, i % 8, 1, 1);
		}
		assert_int_equal(stage.s.distance, 0);
	}
}

// One of several workers sends packets whose answers other workers receive.
TEST(a_part_of_a_switch_is_not_deaf)
{
	uint32_t def[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct stage stage;

	set_up(&stage, 3, 8);
	const struct drb_spread_setup part = {
		.tree = &stage.t, .layer = 1, .packet_time = 1, .rate = 1, .part = true};
	drb_spread_init(&stage.s, &part, stage.memory);
	stage.silent = true;
	for (uint32_t i = 0; i < 1000; i++) {
		slot(&stage, 0.9, def, 0);
		assert_int_equal(stage.s.distance, 0);
	}
}

static void pass_window(struct stage *stage)
{
	stage->now += DRB_SPREAD_WINDOW;
	assert_true(drb_spread_tick(&stage->s, stage->now, 0));
}

// A switch that sends hardly anything no longer counts as deaf.
TEST(the_deaf_end_when_they_send_nothing)
{
	uint32_t def[8] = {0, 1, 2, 3, 4, 5, 6, 7}, windows = 0;
	struct stage stage;

	set_up(&stage, 3, 8);
	stage.silent = true;
	for (uint32_t i = 0; i < 1000; i++)
		slot(&stage, 0.9, def, 0);
	assert_true(stage.s.deaf);
	for (; stage.s.deaf && windows <= 2 * DRB_SPREAD_LASTS; windows++)
		pass_window(&stage);
	assert_in_range(windows, DRB_SPREAD_DEAF, 2 * DRB_SPREAD_LASTS);
	assert_int_equal(stage.s.distance, 0);
}

static void set_up_layer(struct stage *stage, uint32_t layer)
{
	set_up(stage, 3, 4);
	const struct drb_spread_setup setup = {
		.tree = &stage->t, .layer = layer, .packet_time = 1, .rate = 1};
	drb_spread_init(&stage->s, &setup, stage->memory);
}

// A switch below spread a packet by its own evidence, and the packet turns round here: this is
// evidence for some windows. Packets marked as a result are not evidence, and neither are packets
// from above, or the evidence would last for ever.
TEST(what_turns_round_is_told)
{
	for (uint32_t layer = 2; layer <= 3; layer++) {
		for (uint32_t mark = 0; mark <= 2 * DRB_SPREAD_FAR; mark++) {
			const bool from_below = mark <= DRB_SPREAD_FAR;
			const uint8_t came = mark & DRB_SPREAD_FAR;
			struct stage stage;
			uint32_t windows = 0;
			set_up_layer(&stage, layer);
			assert_int_equal(drb_spread_mark_down(&stage.s, came, from_below), came);
			for (pass_window(&stage); stage.s.distance; windows++) {
				assert_int_equal(stage.s.evidence, DRB_SPREAD_BY_TURNING);
				assert_int_equal(drb_spread_mark_down(&stage.s, 0, true), 1);
				pass_window(&stage);
			}
			assert_int_equal(windows, mark == 1 ? DRB_SPREAD_TURNED : 0);
		}
	}
}

// A pause is not an overflow: packets that arrive in it are spread over all of its time.
TEST(pauses_are_time)
{
	struct stage stage;

	set_up(&stage, 3, 8);
	for (uint32_t i = 0; i < 100000; i++) {
		stage.now += 1000;
		drb_spread_tick(&stage.s, stage.now, 0);
		for (uint32_t k = 0; k < 64; k++)
			drb_spread_count(&stage.s, 0, 1, 1);
		assert_int_equal(stage.s.evidence, 0);
	}
}

TEST_MAIN(NULL, NULL)
