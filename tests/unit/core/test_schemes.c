// SPDX-License-Identifier: BSD-3-Clause
// What the rows of the table of schemes say is true of their rules.
#include "fixtures/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/routing/decide.h"

#define UPLINKS 5
#define ROUNDS 20000

static struct drb_choice choice_of(int scheme)
{
	return (struct drb_choice){.scheme = (enum drb_scheme)scheme,
				   .uplinks = UPLINKS,
				   .choices = 2,
				   .margin = drb_margin(1),
				   .salt = 77};
}

static void draw_loads(struct drb_rng *r, uint32_t load[UPLINKS])
{
	for (uint32_t u = 0; u < UPLINKS; u++)
		load[u] = drb_rng_below(r, 6);
}

static void every_row_has_a_name_and_a_help_line(void **state)
{
	const char *all = DRB_SCHEMES_HELP;

	(void)state;
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_row *row = &drb_scheme_table[i];
		char line[256];
		assert_true(strlen(row->name) > 0 && strlen(row->help) > 0);
		snprintf(line, sizeof(line), "  %s: %s\n", row->name, row->help);
		assert_non_null(strstr(all, line));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(row->name, drb_scheme_table[k].name);
	}
}

// What a row does not read has no part in the decision; what it reads has.
static void rules_read_what_their_rows_say(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 1);

	(void)state;
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_row *row = &drb_scheme_table[i];
		struct drb_choice c = choice_of(i);
		bool by_load = false, by_flow = false, by_draw = false;
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS], other[UPLINKS], def = drb_rng_below(&r, UPLINKS);
			uint64_t flow = drb_rng_next(&r), draw = drb_rng_next(&r);
			draw_loads(&r, load);
			draw_loads(&r, other);
			uint32_t up = drb_choose(&c, load, def, flow, draw);
			by_load |= up != drb_choose(&c, other, def, flow, draw);
			by_flow |= up != drb_choose(&c, load, def, drb_rng_next(&r), draw);
			by_draw |= up != drb_choose(&c, load, def, flow, drb_rng_next(&r));
		}
		assert_int_equal(by_load, row->compares != DRB_COMPARES_NONE);
		assert_int_equal(by_flow, drb_scheme_has(c.scheme, DRB_READS_FLOW));
		assert_int_equal(by_draw, row->draw != DRB_DRAW_NONE);
	}
}

static void unloaded_ones_decide_likewise(void **state)
{
	const uint32_t none[UPLINKS] = {0};
	struct drb_rng r = drb_rng_seed(1, 2);

	(void)state;
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		enum drb_scheme simpler = drb_scheme_table[i].unloaded;
		struct drb_choice c = choice_of(i), as = choice_of((int)simpler);
		assert_int_equal(drb_scheme_table[simpler].unloaded, simpler);
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t def = drb_rng_below(&r, UPLINKS);
			uint64_t flow = drb_rng_next(&r), draw = drb_rng_next(&r);
			assert_int_equal(drb_choose(&c, none, def, flow, draw),
					 drb_choose(&as, none, def, flow, draw));
		}
	}
}

// The threshold alone keeps packets at their default.
static void rows_with_a_threshold_keep_to_it(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 3);

	(void)state;
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		struct drb_choice c = choice_of(i);
		bool moved = false;
		c.margin = DRB_LOAD_MAX;
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS], def = drb_rng_below(&r, UPLINKS);
			draw_loads(&r, load);
			moved |= drb_choose(&c, load, def, drb_rng_next(&r), drb_rng_next(&r)) !=
				 def;
		}
		bool never = drb_scheme_has_threshold(c.scheme) || i == DRB_SCHEME_DMODK;
		assert_int_equal(moved, !never);
	}
}

// One random number serves several decisions: each outcome as often as any other, and any pair of
// outcomes that follow each other.
static void shared_draws_are_uniform(void **state)
{
	(void)state;
	for (uint32_t d = 2; d <= 5; d++) {
		for (int draw = DRB_DRAW_OTHER; draw <= DRB_DRAW_TWO; draw++) {
			uint32_t per_number = drb_draws_per_number((enum drb_draw)draw, d);
			uint32_t of = draw == DRB_DRAW_OTHER ? d - 1 : d, seen[5][5] = {{0}};
			struct drb_rng r = drb_rng_seed(d, (uint64_t)draw);
			assert_true(per_number >= 2 && per_number < UINT32_MAX);
			for (int n = 0; n < ROUNDS; n++) {
				uint64_t number = drb_rng_next(&r);
				uint32_t last = 0;
				for (uint32_t k = 0; k < per_number; k++) {
					uint64_t bits =
						drb_draw_next((enum drb_draw)draw, d, &number);
					uint32_t now = drb_scale32((uint32_t)(bits >> 32), of);
					if (k == per_number - 1)
						seen[last][now]++;
					last = now;
				}
			}
			for (uint32_t a = 0; a < of; a++)
				for (uint32_t b = 0; b < of; b++)
					assert_in_range(seen[a][b] * of * of, ROUNDS * 3 / 4,
							ROUNDS * 5 / 4);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_a_name_and_a_help_line),
		cmocka_unit_test(rules_read_what_their_rows_say),
		cmocka_unit_test(unloaded_ones_decide_likewise),
		cmocka_unit_test(rows_with_a_threshold_keep_to_it),
		cmocka_unit_test(shared_draws_are_uniform),
	};
	return cmocka_run_group_tests_name("schemes", tests, NULL, NULL);
}
