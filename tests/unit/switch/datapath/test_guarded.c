// SPDX-License-Identifier: BSD-3-Clause
// Whatever an external scheme answers, packets use existing, usable uplinks, with marks that fit.
// Wrong answers are counted.
#include "fixtures/unit.h"

#include "switch/datapath/worker/guarded.h"

#define UPLINKS 4

// The answer of the scheme.
static struct {
	uint32_t up, def;
	uint8_t mark;
} answer;
static uint8_t heard;

static uint32_t choose(const struct drb_decider *s, struct drb_loads loads, struct drb_decision *d)
{
	(void)s, (void)loads;
	heard = d->mark;
	d->def = answer.def;
	d->mark = answer.mark;
	return answer.up;
}

static uint32_t choose_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			     struct drb_decision *d)
{
	(void)usable;
	return choose(s, loads, d);
}

static const struct drb_scheme_ops ops = {
	.name = "odd", .mark_bits = 1, .choose = choose, .choose_among = choose_among};

TEST(answers)
{
	static const struct {
		uint64_t usable;
		uint32_t up, def, goes, defaults;
		uint8_t mark, leaves;
		uint64_t errors;
	} cases[] = {
		{0xf, 3, 1, 3, 1, 1, 1, 0}, // correct
		{0xf, 4, 1, 2, 2, 0, 0, 1}, // no such uplink: the default
		{0xf, UINT32_MAX, 1, 2, 2, 0, 0, 1}, {0xf, 3, 4, 3, 2, 0, 0, 1}, // no such default
		{0xf, 3, 1, 3, 1, 0xff, 1, 0}, // a mark with more bits than it has
		{0xa, 3, 1, 3, 1, 0, 0, 0},    // among some
		{0xa, 0, 1, 1, 2, 0, 0, 1},    // a dead uplink: one that is alive
		{0xc, 1, 1, 2, 2, 0, 0, 1},          {0xa, 64, 9, 1, 2, 0, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t errors = 0;
		struct drb_guarded g = drb_guard(&ops, &errors);
		const struct drb_decider s = {.choice = {.ops = &g.ops, .uplinks = UPLINKS}};
		struct drb_decision d = {.def = 2, .mark = 0xe};
		static const uint32_t load[UPLINKS];
		answer.up = cases[i].up;
		answer.def = cases[i].def;
		answer.mark = cases[i].mark;
		assert_int_equal(drb_decide_among(&s, cases[i].usable, load, &d), cases[i].goes);
		assert_int_equal(d.def, cases[i].defaults);
		assert_int_equal(d.mark, cases[i].leaves);
		assert_int_equal(errors, cases[i].errors);
		assert_int_equal(heard, 0);
	}
}

// A scheme without choose_among() is called with fewer uplinks.
TEST(answers_among_fewer)
{
	struct drb_scheme_ops stateless = ops;
	static const uint32_t load[UPLINKS];
	uint64_t errors = 0;

	stateless.choose_among = NULL;
	stateless.needs = DRB_READS_FLOW;
	struct drb_guarded g = drb_guard(&stateless, &errors);
	const struct drb_decider s = {.choice = {.ops = &g.ops, .uplinks = UPLINKS}};
	for (answer.up = 0; answer.up < 70; answer.up++) {
		struct drb_decision d = {.def = 2};
		uint32_t up = drb_decide_among(&s, 0x6, load, &d);
		assert_true(up == 1 || up == 2);
	}
	assert_true(errors > 60);
}

TEST_MAIN(NULL, NULL)
