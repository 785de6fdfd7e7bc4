// SPDX-License-Identifier: BSD-3-Clause
// Every scheme of the table passes the trial. A scheme that breaks a property fails it, with the
// reason.
#include "fixtures/unit.h"

#include "common/schemes/trial.h"
#include "core/schemes/schemes.h"

static int trial_of(const struct drb_scheme_ops *ops, char why[DRB_TRIAL_WHY])
{
	const struct drb_scheme_variant v = {.ops = ops, .threshold = NAN, .choices = NAN};

	return drb_scheme_trial(&v, why);
}

TEST(schemes_of_the_table_pass)
{
	char why[DRB_TRIAL_WHY];

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		if (trial_of(drb_scheme_ops((enum drb_scheme)i), why) < 0)
			fail_msg("%s: %s", drb_scheme_name((enum drb_scheme)i), why);
	}
}

static uint32_t one_too_far(const struct drb_decider *s, struct drb_loads loads,
			    struct drb_decision *d)
{
	return drb_load(loads, d->def) == 11 ? s->choice.uplinks : d->def;
}

static uint32_t whatever(const struct drb_decider *s, struct drb_loads loads,
			 struct drb_decision *d)
{
	static uint32_t turn;

	(void)loads, (void)d;
	return turn++ % s->choice.uplinks;
}

static uint32_t first(const struct drb_decider *s, struct drb_loads loads, struct drb_decision *d)
{
	(void)loads, (void)d;
	*(uint32_t *)s->state += 1;
	return 0;
}

static uint32_t first_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			    struct drb_decision *d)
{
	(void)s, (void)loads, (void)d;
	return (uint32_t)__builtin_ctzll(usable);
}

static uint32_t dead_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			   struct drb_decision *d)
{
	(void)s, (void)loads, (void)d;
	return (uint32_t)__builtin_ctzll(~usable);
}

static size_t nothing(const struct drb_scheme_setup *setup)
{
	(void)setup;
	return 0;
}

static size_t a_word(const struct drb_scheme_setup *setup)
{
	(void)setup;
	return sizeof(uint32_t);
}

static void clear(void *state, const struct drb_scheme_setup *setup)
{
	(void)setup;
	*(uint32_t *)state = 0;
}

static void leave(void *state, const struct drb_scheme_setup *setup)
{
	(void)state, (void)setup;
}

static void divide(void *state, const struct drb_scheme_setup *setup)
{
	*(uint32_t *)state = 0;
	if (setup->choice->uplinks == 0)
		// A write beyond the state stands for a division by 0: it is detected, too, but
		// raises no signal.
		*((uint32_t *)state + 1) = 0;
}

static uint8_t too_much(void *state, uint8_t mark, bool from_below)
{
	(void)state, (void)mark, (void)from_below;
	return 2;
}

static uint8_t unmarked(const void *state)
{
	(void)state;
	return 0;
}

static void glance(void *state, const uint32_t waiting[])
{
	(void)state, (void)waiting;
}

TEST(broken_ones_are_told_why)
{
	const struct drb_scheme_ops good = {.abi = DRB_SCHEME_ABI,
					    .name = "x",
					    .help = "x",
					    .compares = DRB_COMPARES_ALL,
					    .choose = first,
					    .state_size = a_word,
					    .init = clear,
					    .choose_among = first_among};
	struct drb_scheme_ops bad[12];
	static const char *const said[ARRAY_SIZE(bad)] = {
		"another version", "takes uplink",
		"differently",     "beside its state",
		"dead uplink",     "needs choose_among()",
		"needs tick()",    "needs mark_bits",
		"downward",        "more than 16 parameters",
		"lower case",      "0 uplinks"};
	struct drb_scheme_param many[DRB_SCHEME_PARAMS_MAX + 2] = {{0}};
	char why[DRB_TRIAL_WHY];

	assert_int_equal(trial_of(&good, why), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].abi++;
	bad[1].choose = one_too_far;
	bad[2].choose = whatever;
	bad[3].state_size = nothing;
	bad[3].init = leave;
	bad[4].choose_among = dead_among;
	bad[5].choose_among = NULL;
	bad[6].look = glance;
	bad[7].mark_down = too_much;
	bad[8].mark_down = too_much;
	bad[8].own_mark = unmarked;
	bad[8].mark_bits = 1;
	for (int i = 0; i <= DRB_SCHEME_PARAMS_MAX; i++)
		many[i].name = "a";
	bad[9].params = many;
	bad[10].name = "x,y";
	bad[11].init = divide;
	bad[11].needs = DRB_AT_CORES;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(trial_of(&bad[i], why), -EINVAL);
		if (!strstr(why, said[i]))
			fail_msg("%zu: %s", i, why);
	}
}

TEST_MAIN(NULL, NULL)
