// SPDX-License-Identifier: BSD-3-Clause
// The table of schemes agrees with the rules of the schemes.
#include "fixtures/unit.h"

#include "core/routing/draw.h"
#include "core/schemes/all.h"

#include "fixtures/scheme_switch.h"

#define UPLINKS 5
#define ROUNDS 20000
#define SALT 77

static void draw_loads(struct drb_rng *r, uint32_t load[UPLINKS])
{
	for (uint32_t u = 0; u < UPLINKS; u++)
		load[u] = drb_rng_below(r, 6);
}

TEST(every_scheme_has_a_name_and_a_help_line)
{
	const char *all = drb_schemes_help();

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		char line[256];
		assert_true(strlen(ops->name) > 0 && strlen(ops->help) > 0);
		snprintf(line, sizeof(line), "  %s: %s\n", ops->name, ops->help);
		assert_non_null(strstr(all, line));
		for (int k = 0; k < i; k++) {
			const struct drb_scheme_ops *other = drb_scheme_ops((enum drb_scheme)k);
			assert_string_not_equal(ops->name, other->name);
			assert_string_not_equal(ops->colour, other->colour);
			assert_string_not_equal(ops->symbol, other->symbol);
		}
	}
}

// Functions that belong together are both present or both absent.
TEST(ops_are_whole)
{
	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		assert_int_equal(ops->abi, DRB_SCHEME_ABI);
		assert_non_null(ops->choose);
		assert_int_equal(!ops->state_size, !ops->init);
		if (ops->state_size)
			assert_non_null(ops->choose_among);
		if (ops->hear || ops->tick || ops->own_mark || ops->count)
			assert_non_null(ops->state_size);
		assert_int_equal(ops->mark_bits > 0, ops->own_mark != NULL);
		assert_in_range(ops->mark_bits, 0, DRB_MARK_BITS_MAX);
		if (ops->count)
			assert_true(ops->needs & DRB_DEFAULT_UNLOADED);
	}
}

// An input that a scheme does not declare has no part in its decision; a declared one has.
TEST(schemes_read_what_they_say)
{
	struct drb_rng r = drb_rng_seed(1, 1);

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		struct scheme_switch at;
		bool by_load = false, by_flow = false, by_draw = false;
		switch_begin(&at, (enum drb_scheme)i, UPLINKS, SALT, 1);
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS], other[UPLINKS];
			const struct drb_decision d = {.def = drb_rng_below(&r, UPLINKS),
						       .flow = drb_rng_next(&r),
						       .draw = drb_rng_next(&r),
						       .size = 1};
			struct drb_decision flow = d, draw = d;
			flow.flow = drb_rng_next(&r);
			draw.draw = drb_rng_next(&r);
			draw_loads(&r, load);
			draw_loads(&r, other);
			uint32_t up = switch_tries(&at, 0, load, d);
			assert_in_range(up, 0, UPLINKS - 1);
			by_load |= up != switch_tries(&at, 0, other, d);
			by_flow |= up != switch_tries(&at, 0, load, flow);
			by_draw |= up != switch_tries(&at, 0, load, draw);
			assert_int_equal(switch_takes(&at, load, d), up);
		}
		assert_int_equal(by_load, ops->compares != DRB_COMPARES_NONE);
		assert_int_equal(by_flow, (ops->needs & DRB_READS_FLOW) != 0);
		assert_int_equal(by_draw, ops->draw != DRB_DRAW_NONE);
		switch_end(&at);
	}
}

// While no uplink has a load, fewer random bits give the same decision.
TEST(unloaded_ones_decide_likewise)
{
	static const uint64_t bits[] = {[DRB_DRAW_NONE] = 0,
					[DRB_DRAW_OTHER] = UINT64_MAX << 32,
					[DRB_DRAW_ANY] = UINT64_MAX << 32,
					[DRB_DRAW_TWO] = UINT64_MAX,
					[DRB_DRAW_WORD] = UINT64_MAX};
	const uint32_t none[UPLINKS] = {0};
	struct drb_rng r = drb_rng_seed(1, 2);

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		const struct drb_scheme_ops *ops = drb_scheme_ops((enum drb_scheme)i);
		struct scheme_switch zeros, unloaded;
		switch_begin(&zeros, (enum drb_scheme)i, UPLINKS, SALT, 1);
		switch_begin(&unloaded, (enum drb_scheme)i, UPLINKS, SALT, 1);
		for (int n = 0; n < ROUNDS; n++) {
			struct drb_decision d = {.def = drb_rng_below(&r, UPLINKS),
						 .flow = drb_rng_next(&r),
						 .draw = drb_rng_next(&r),
						 .size = 1};
			uint32_t up = switch_takes(&zeros, none, d);
			d.draw &= bits[ops->unloaded];
			assert_int_equal(switch_takes(&unloaded, NULL, d), up);
			if (ops->needs & DRB_DEFAULT_UNLOADED)
				assert_int_equal(up, d.def);
		}
		switch_end(&zeros);
		switch_end(&unloaded);
	}
}

// Only the threshold keeps packets on their default.
TEST(schemes_with_a_threshold_keep_to_it)
{
	struct drb_rng r = drb_rng_seed(1, 3);

	for (int i = 0; i < DRB_SCHEME_COUNT; i++) {
		struct scheme_switch at;
		bool moved = false;
		switch_begin(&at, (enum drb_scheme)i, UPLINKS, SALT, DRB_LOAD_MAX);
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS];
			const struct drb_decision d = {.def = drb_rng_below(&r, UPLINKS),
						       .flow = drb_rng_next(&r),
						       .draw = drb_rng_next(&r),
						       .size = 1};
			draw_loads(&r, load);
			moved |= switch_takes(&at, load, d) != d.def;
		}
		assert_int_equal(moved, !drb_scheme_has_threshold((enum drb_scheme)i) &&
						i != DRB_SCHEME_DMODK);
		switch_end(&at);
	}
}

// One random number serves several decisions. Each outcome is as frequent as any other, and so is
// each pair of consecutive outcomes.
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

// The shortest of the two drawn uplinks and the last one taken. On a tie the first in the order of
// comparison is taken.
TEST(drill_remembers_what_it_took)
{
	struct drb_rng r = drb_rng_seed(1, 6);
	uint32_t from_memory = 0;

	for (uint32_t d = 2; d <= UPLINKS; d++) {
		struct scheme_switch at;
		switch_begin(&at, DRB_SCHEME_DRILL, d, SALT, 1);
		uint32_t last = ((struct drb_drill *)at.s.state)->last;
		assert_in_range(last, 0, d - 1);
		for (int n = 0; n < ROUNDS; n++) {
			uint32_t load[UPLINKS];
			const struct drb_decision packet = {.def = drb_rng_below(&r, d),
							    .draw = drb_rng_next(&r)};
			uint32_t first = (uint32_t)((packet.draw >> 32) * d >> 32);
			uint32_t second = (uint32_t)((packet.draw & UINT32_MAX) * (d - 1) >> 32);
			second += second >= first;
			draw_loads(&r, load);
			uint32_t best = load[second] < load[first] ? second : first;
			if (load[last] < load[best])
				best = last;
			from_memory += best != first && best != second;
			last = switch_takes(&at, load, packet);
			assert_int_equal(last, best);
		}
		switch_end(&at);
	}
	assert_true(from_memory > ROUNDS / 10);
}

// The digits of a number, the lowest first, as one number. Added to the first turns of the
// switches, they give the core.
static uint32_t core_of(uint32_t number, uint32_t d, const uint32_t begin[3])
{
	uint32_t core = 0;

	for (int m = 0; m < 3; m++, number /= d)
		core = core * d + (begin[m] + number) % d;
	return core;
}

// Switches of three layers towards the core take turns independently. The packets of a flow reach
// the cores in the order of digit-reversed numbers, whatever other flows send.
TEST(bouncing_reverses_digits)
{
	enum { D = 3, SWITCHES = 1 + D + D * D, CORES = D * D * D };
	struct scheme_switch s[SWITCHES];
	const uint64_t flow = UINT64_C(0x123456789);
	struct drb_rng r = drb_rng_seed(1, 7);
	uint32_t begin[3];

	for (uint32_t i = 0; i < SWITCHES; i++) {
		// The switches of a layer begin alike here. Core numbers are relative to this
		// beginning.
		uint32_t layer = i == 0 ? 0 : i <= D ? 1 : 2;
		switch_begin(&s[i], DRB_SCHEME_BOUNCING, D, drb_salt(5, layer, 0), 1);
		const struct drb_bouncing *bouncing = s[i].s.state;
		begin[layer] = bouncing->turn[drb_turn_of(&s[i].s.choice, flow)];
		assert_in_range(begin[layer], 0, D - 1);
	}
	for (uint32_t n = 0; n < 4 * CORES; n++) {
		uint32_t at = 0, core = 0;
		for (int m = 0; m < 3; m++) {
			for (uint32_t other = drb_rng_below(&r, 3); other > 0; other--) {
				const struct drb_decision beside = {.flow = flow + 1 + n};
				switch_takes(&s[at], NULL, beside);
			}
			uint32_t up =
				switch_takes(&s[at], NULL, (struct drb_decision){.flow = flow});
			core = core * D + up;
			at = m == 0 ? 1 + up : 1 + D + (at - 1) * D + up;
		}
		assert_int_equal(core, core_of(n, D, begin));
	}
	for (uint32_t i = 0; i < SWITCHES; i++)
		switch_end(&s[i]);
}

// With dead uplinks the turns continue among the others, and each gets the same share.
TEST(bouncing_skips_dead_uplinks)
{
	const uint32_t load[UPLINKS] = {0};
	struct scheme_switch at;

	switch_begin(&at, DRB_SCHEME_BOUNCING, UPLINKS, SALT, 1);
	const struct drb_detour_node node = {drb_hop_at(&at.tree, 1, 0), 1, UPLINKS, UPLINKS};
	for (uint64_t usable = 1; usable < 1 << UPLINKS; usable++) {
		uint32_t count[UPLINKS] = {0}, alive = (uint32_t)__builtin_popcountll(usable);
		struct drb_usable_ports links = {.usable = usable << UPLINKS | ((1 << UPLINKS) - 1),
						 .settled = true};
		for (uint32_t n = 0; n < 6 * alive; n++) {
			struct drb_decision d = {.dest = at.tree.hosts - 1, .flow = 7};
			int32_t port = drb_decide(&at.s, &node, links, load, &d);
			assert_in_range(port, UPLINKS, 2 * UPLINKS - 1);
			count[port - UPLINKS]++;
		}
		for (uint32_t u = 0; u < UPLINKS; u++)
			assert_int_equal(count[u], usable >> u & 1 ? 6 : 0);
	}
	switch_end(&at);
}

TEST_MAIN(NULL, NULL)
