// SPDX-License-Identifier: BSD-3-Clause
// Scheme ars against a second model, and the effects of its parameters.
#include "fixtures/ars_model.h"

#include "fixtures/scheme_switch.h"

#define SALT 77
#define IDLE 10

// Values in the order of the parameters.
#define DEFAULT                                                                                    \
	{                                                                                          \
		IDLE, 512, 1, 0, 2, 0, 16                                                          \
	}
#define PER_PACKET                                                                                 \
	{                                                                                          \
		0, 512, 1, 0, 0, 0, 16                                                             \
	}

static void begin(struct scheme_switch *at, uint32_t uplinks, uint32_t packet_time,
		  const double *param)
{
	*at = (struct scheme_switch){.s.choice = {.ops = drb_scheme_ops(DRB_SCHEME_ARS),
						  .uplinks = uplinks,
						  .salt = SALT,
						  .param = param}};
	assert_int_equal(drb_tree_init(&at->tree, 2, uplinks), 0);
	const struct drb_scheme_setup setup = {
		.tree = &at->tree, .layer = 1, .choice = &at->s.choice, .packet_time = packet_time};
	at->size = at->s.choice.ops->state_size(&setup);
	at->s.state = malloc(at->size);
	at->kept = malloc(at->size);
	at->s.choice.ops->init(at->s.state, &setup);
}

static uint32_t takes(struct scheme_switch *at, uint32_t now, const uint32_t *load,
		      struct drb_decision d)
{
	at->s.choice.ops->tick(at->s.state, now, 0);
	return switch_takes(at, load, d);
}

// Compares both models: few recurring flows, varying loads, pauses, dead uplinks.
static void both_take_the_same(const double *param, uint32_t uplinks)
{
	struct drb_rng r = drb_rng_seed(1, uplinks);
	struct ars_model *m = calloc(1, sizeof(*m));
	struct scheme_switch at;
	uint32_t load[ARS_UPLINKS] = {0}, now = 1000;

	ars_model_begin(m, uplinks, SALT);
	memcpy(m->param, param, sizeof(m->param));
	begin(&at, uplinks, 1, param);
	for (int n = 0; n < 30000; n++) {
		const struct drb_decision d = {.flow = drb_mix64(drb_rng_below(&r, 40)),
					       .draw = drb_rng_next(&r)};
		uint64_t usable = drb_rng_below(&r, 10) ? 0 : 1 | drb_rng_below(&r, 1u << uplinks);
		uint32_t *moved = &load[drb_rng_below(&r, uplinks)];
		*moved += drb_rng_below(&r, 3);
		*moved -= *moved > 25 ? drb_rng_below(&r, 25) : 0;
		now += drb_rng_below(&r, 4) ? 0 : drb_rng_below(&r, 50) ? 1 : 2 * IDLE;
		at.s.choice.ops->tick(at.s.state, now, 0);
		assert_int_equal(
			drb_decide_among(&at.s, usable, load,
					 &(struct drb_decision){.flow = d.flow, .draw = d.draw}),
			ars_model_takes(m, now, usable, load, &d));
	}
	switch_end(&at);
	free(m);
}

TEST(decides_as_the_plain_model)
{
	static const double param[][DRB_SCHEME_PARAMS_MAX] = {
		DEFAULT,
		PER_PACKET,
		{IDLE, 8, 1, 0, 2, 0, 16},
		{IDLE, 512, 7, 0, 0, 4, 8},
		{0, 1, 3, 1, 4, 1, 24},
		{IDLE, 512, 2, 1, 6, 0, 3},
		{1, 512, 1, 0, 1, 9, 9},
		{IDLE, 512, 4, 0, 2, 0, 16, 1, 0, 100},
		{0, 512, 1, 1, 3, 0, 0, 1, 10, 60},
		{0, 512, 16, 0, 2, 0, 0, 1, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(param); i++) {
		for (uint32_t uplinks = 2; uplinks <= 12; uplinks += 5)
			both_take_the_same(param[i], uplinks);
	}
}

// A flowlet keeps its uplink as long as no pause exceeds the idle time, however long the queue is.
TEST(flowlets_end_with_the_idle_time)
{
	static const double param[DRB_SCHEME_PARAMS_MAX] = DEFAULT;
	uint32_t load[4] = {30, 0, 30, 30}, now = 0;
	const struct drb_decision d = {.flow = 5};
	struct scheme_switch at;

	begin(&at, 4, 1, param);
	assert_int_equal(takes(&at, now, load, d), 1);
	load[1] = 40;
	load[2] = 0;
	for (int n = 0; n < 20; n++)
		assert_int_equal(takes(&at, now += IDLE, load, d), 1);
	assert_int_equal(takes(&at, now + IDLE + 1, load, d), 2);
	switch_end(&at);
}

// With each sample an average moves a quarter of the distance to the queue length. With
// port_load_current it falls at once.
TEST(qualities_follow_the_average)
{
	double param[DRB_SCHEME_PARAMS_MAX] = {0, 1, 1, 0, 2, 0, 16};
	const uint32_t before[2] = {12, 6}, after[2] = {0, 6};

	for (int current = 0; current < 2; current++) {
		struct scheme_switch at;
		uint32_t now = 0;
		param[DRB_ARS_CURRENT] = current;
		begin(&at, 2, 1, param);
		assert_int_equal(takes(&at, now, before, (struct drb_decision){0}), 1);
		// The average falls to 9, 6.75 and 5.06 packets: bands 4, 3 and 2. The other uplink
		// has band 3.
		for (int n = 0; n < 2; n++)
			assert_int_equal(
				takes(&at, ++now, after, (struct drb_decision){.draw = UINT64_MAX}),
				current ? 0 : 1);
		assert_int_equal(takes(&at, ++now, after, (struct drb_decision){0}), 0);
		switch_end(&at);
	}
}

// Per packet, the uplinks of the best band get equal shares and the others get nothing. Without a
// clock there are no flowlets, and the same holds.
TEST(packets_are_spread_over_the_best_band)
{
	static const double per_packet[DRB_SCHEME_PARAMS_MAX] = PER_PACKET,
			    flowlets[DRB_SCHEME_PARAMS_MAX] = DEFAULT;
	const uint32_t load[5] = {2, 0, 9, 3, 1}; // bands of two packets: 1, 0, 4, 1, 0
	struct drb_rng r = drb_rng_seed(1, 2);

	for (int clock = 0; clock < 2; clock++) {
		struct scheme_switch at;
		uint32_t count[5] = {0};
		begin(&at, 5, (uint32_t)clock, clock ? per_packet : flowlets);
		for (int n = 0; n < 10000; n++)
			count[takes(&at, 0, load,
				    (struct drb_decision){.flow = 5, .draw = drb_rng_next(&r)})]++;
		assert_int_equal(count[0] + count[2] + count[3], 0);
		assert_in_range(count[1], 4800, 5200);
		switch_end(&at);
	}
}

// Flowlets of the dead uplink move to the best usable uplinks; other flowlets stay.
TEST(dead_uplinks_move_their_flowlets_alone)
{
	static const double param[DRB_SCHEME_PARAMS_MAX] = DEFAULT;
	const uint32_t load[4] = {0, 0, 0, 20};
	struct drb_rng r = drb_rng_seed(1, 3);
	struct scheme_switch at;
	uint32_t moved = 0;

	begin(&at, 4, 1, param);
	for (uint64_t flow = 0; flow < 100; flow++) {
		struct drb_decision d = {.flow = drb_mix64(flow), .draw = drb_rng_next(&r)};
		uint32_t before = takes(&at, 0, load, d);
		d.draw = drb_rng_next(&r);
		uint32_t up = switch_tries(&at, 0xe, load, d);
		assert_true(before == 0 ? up == 1 || up == 2 : up == before);
		moved += before == 0;
	}
	assert_true(moved > 10);
	switch_end(&at);
}

TEST_MAIN(NULL, NULL)
