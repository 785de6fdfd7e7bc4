// SPDX-License-Identifier: BSD-3-Clause
// What the rows of the table of schemes say is true of their rules.
#include "fixtures/unit.h"

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

TEST(every_row_has_a_name_and_a_help_line)
{
	const char *all = DRB_SCHEMES_HELP;

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
TEST(rules_read_what_their_rows_say)
{
	struct drb_rng r = drb_rng_seed(1, 1);

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

TEST(unloaded_ones_decide_likewise)
{
	const uint32_t none[UPLINKS] = {0};
	struct drb_rng r = drb_rng_seed(1, 2);

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
TEST(rows_with_a_threshold_keep_to_it)
{
	struct drb_rng r = drb_rng_seed(1, 3);

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
		if (drb_scheme_has_threshold(c.scheme))
			assert_false(moved);
		else if (drb_scheme_table[i].draw != DRB_DRAW_NONE)
			assert_true(moved);
	}
}

// One random number serves several decisions: each outcome as often as any other, and any pair of
// outcomes that follow each other.
TEST(shared_draws_are_uniform)
{
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

// The two that are drawn and the last one taken, of which the shortest is taken: by the order in which
// they are looked at, among equals.
TEST(drill_remembers_what_it_took)
{
	struct drb_rng r = drb_rng_seed(1, 6);
	uint32_t from_memory = 0;

	for (uint32_t d = 2; d <= UPLINKS; d++) {
		struct drb_decider s = {.choice = choice_of(DRB_SCHEME_DRILL)};
		uint16_t remembered[1];
		s.choice.uplinks = d;
		s.remembered = remembered;
		drb_remember_init(remembered, &s.choice);
		uint32_t last = remembered[0];
		assert_in_range(last, 0, d - 1);
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS];
			struct drb_decision packet = {.def = drb_rng_below(&r, d),
						      .draw = drb_rng_next(&r)};
			uint32_t first = (uint32_t)((packet.draw >> 32) * d >> 32);
			uint32_t second = (uint32_t)((packet.draw & UINT32_MAX) * (d - 1) >> 32);
			second += second >= first;
			draw_loads(&r, load);
			uint32_t best = load[second] < load[first] ? second : first;
			if (load[last] < load[best])
				best = last;
			from_memory += best != first && best != second;
			last = drb_decide_uplink(&s, (struct drb_loads){.at = load}, &packet);
			assert_int_equal(last, best);
		}
	}
	assert_true(from_memory > ROUNDS / 10);
}

// The digits of a number, the lowest first, as one number: the core that they lead to if they are added
// to where the turns of the switches began.
static uint32_t core_of(uint32_t number, uint32_t d, const uint32_t begin[3])
{
	uint32_t core = 0;

	for (int m = 0; m < 3; m++, number /= d)
		core = core * d + (begin[m] + number) % d;
	return core;
}

// Three layers of switches on the way up, each with a turn of its own: the packets of a flow reach the
// cores in the order of digit-reversed numbers, whatever others send beside them.
TEST(bouncing_reverses_digits)
{
	enum { D = 3, SWITCHES = 1 + D + D * D, CORES = D * D * D };
	static uint16_t turn[SWITCHES][DRB_TURNS];
	struct drb_decider s[SWITCHES];
	const uint64_t flow = UINT64_C(0x123456789);
	struct drb_rng r = drb_rng_seed(1, 7);
	uint32_t begin[3];

	for (uint32_t i = 0; i < SWITCHES; i++) {
		// Those of a layer begin alike here: numbers of cores are relative to that.
		uint32_t layer = i == 0 ? 0 : i <= D ? 1 : 2;
		s[i] = (struct drb_decider){.choice = choice_of(DRB_SCHEME_BOUNCING),
					    .remembered = turn[i]};
		s[i].choice.uplinks = D;
		s[i].choice.salt = drb_salt(5, layer, 0);
		drb_remember_init(turn[i], &s[i].choice);
		begin[layer] = turn[i][drb_turn_of(&s[i].choice, flow)];
		assert_in_range(begin[layer], 0, D - 1);
	}
	for (uint32_t n = 0; n < 4 * CORES; n++) {
		uint32_t at = 0, core = 0;
		for (int m = 0; m < 3; m++) {
			struct drb_decision packet = {.flow = flow};
			for (uint32_t other = drb_rng_below(&r, 3); other > 0; other--) {
				struct drb_decision beside = {.flow = flow + 1 + n};
				drb_decide_uplink(&s[at], (struct drb_loads){0}, &beside);
			}
			uint32_t up = drb_decide_uplink(&s[at], (struct drb_loads){0}, &packet);
			core = core * D + up;
			at = m == 0 ? 1 + up : 1 + D + (at - 1) * D + up;
		}
		assert_int_equal(core, core_of(n, D, begin));
	}
}

// Beside dead uplinks the turns go on among the others, and each gets the same share.
TEST(bouncing_skips_dead_uplinks)
{
	static uint16_t turn[DRB_TURNS];
	const uint32_t load[UPLINKS] = {0};
	struct drb_decider s = {.choice = choice_of(DRB_SCHEME_BOUNCING), .remembered = turn};
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 2, UPLINKS), 0);
	const struct drb_detour_node node = {drb_hop_at(&t, 1, 0), 1, UPLINKS, UPLINKS};
	drb_remember_init(turn, &s.choice);
	for (uint64_t usable = 1; usable < 1 << UPLINKS; usable++) {
		uint32_t count[UPLINKS] = {0}, alive = (uint32_t)__builtin_popcountll(usable);
		struct drb_usable_ports links = {.usable = usable << UPLINKS | ((1 << UPLINKS) - 1),
						 .settled = true};
		for (uint32_t n = 0; n < 6 * alive; n++) {
			struct drb_decision d = {.dest = t.hosts - 1, .flow = 7};
			int32_t port = drb_decide(&s, &node, links, load, &d);
			assert_in_range(port, UPLINKS, 2 * UPLINKS - 1);
			count[port - UPLINKS]++;
		}
		for (uint32_t u = 0; u < UPLINKS; u++)
			assert_int_equal(count[u], usable >> u & 1 ? 6 : 0);
	}
}

TEST_MAIN(NULL, NULL)
