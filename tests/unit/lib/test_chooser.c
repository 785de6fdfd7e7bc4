// SPDX-License-Identifier: BSD-3-Clause
// libdrb as programs use it: choosers of all schemes at switches of F(3,2).
#include "fixtures/unit.h"

#include "drb/detour.h"
#include "drb/scheme.h"
#include "drb/tree.h"

enum { EDGE = 1, MIDDLE = 2, PACKET_TIME = 1000 };

static struct drb_tree *tree;

static int plant(void **state)
{
	(void)state;
	tree = drb_tree_new(3, 2, 2);
	return tree ? 0 : -1;
}

static int fell(void **state)
{
	(void)state;
	drb_tree_free(tree);
	return 0;
}

static struct drb_chooser *chooser_of(const struct drb_scheme_ops *scheme, uint32_t layer)
{
	const struct drb_chooser_setup setup = {
		.tree = tree, .layer = layer, .threshold = 1, .packet_time = PACKET_TIME};
	struct drb_chooser *c = drb_chooser_new(scheme, &setup);

	assert_non_null(c);
	return c;
}

// The paper's example: up by 0 and 1, down by 2, 1 and 0.
TEST(default_path_ends_at_its_host)
{
	const uint32_t to = 10, want[] = {0, 1, 2, 1, 0};
	struct drb_end at = drb_tree_host_peer(tree, 4);

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		bool down = drb_tree_is_below(tree, at.layer, at.label, to);
		uint32_t port = down ? drb_tree_down_port(tree, at.layer, at.label, to)
				     : drb_tree_default_uplink(tree, at.layer, at.label, to);
		assert_int_equal(port, want[i]);
		at = down ? drb_tree_down_peer(tree, at.layer, at.label, port)
			  : drb_tree_up_peer(tree, at.layer, at.label, port);
	}
	assert_int_equal(at.layer, 0);
	assert_int_equal(at.label, to);
}

TEST(every_scheme_takes_the_only_usable_uplink)
{
	const uint32_t load[] = {0, 9};
	const struct drb_scheme_ops *scheme;

	for (uint32_t i = 0; (scheme = drb_scheme_at(i)); i++) {
		struct drb_chooser *c = chooser_of(scheme, EDGE);
		for (uint32_t to = 2; to < drb_tree_hosts(tree); to++) {
			struct drb_decision packet = {.dest = to, .flow = to, .size = 1};
			assert_int_equal(drb_chooser_choose_among(c, 2, load, &packet), 1);
			assert_true(drb_chooser_choose_among(c, 0, load, &packet) < 2);
		}
		drb_chooser_free(c);
	}
}

// Ports 0 and 1 lead down, 2 and 3 up.
TEST(detours_begin_where_a_down_link_is_dead)
{
	const uint32_t load[2] = {0};
	const struct {
		uint32_t layer, port, to;
		uint64_t usable;
		int32_t out;
		uint32_t hops;
	} cases[] = {
		{EDGE, 0, 1, 0xf, 1, 0},
		{EDGE, 2, 0, 0xe, DRB_DETOUR_HOST_DOWN, 0},
		{EDGE, 0, 10, 0xb, 3, 0},
		{EDGE, 0, 10, 0x3, DRB_DETOUR_NO_ROUTE, 0},
		{EDGE, 2, 10, 0xf, DRB_DETOUR_INVALID, 0},
		{MIDDLE, 2, 0, 0xf, 0, 0},
		{MIDDLE, 2, 0, 0xe, 1, 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drb_chooser *c = chooser_of(drb_scheme_find("drb"), cases[i].layer);
		struct drb_usable_ports ports = {.usable = cases[i].usable};
		struct drb_decision packet = {.dest = cases[i].to, .port = cases[i].port};
		assert_int_equal(drb_chooser_detour(c, &ports, load, &packet), cases[i].out);
		assert_int_equal(drb_detour_extra_hops(packet.detour), cases[i].hops);
		assert_true(cases[i].out < 0 || packet.detoured == (cases[i].hops > 0));
		drb_chooser_free(c);
	}
}

// Marks end at the host. Edge switches have no switches below whose queues they look at.
TEST(marks_and_queues_concern_switches_below)
{
	const uint32_t waiting[] = {7, 0};
	const struct drb_scheme_ops *scheme;
	uint32_t looks = 0;

	for (uint32_t i = 0; (scheme = drb_scheme_at(i)); i++) {
		struct drb_chooser *edge = chooser_of(scheme, EDGE);
		struct drb_chooser *middle = chooser_of(scheme, MIDDLE);
		for (uint32_t now = 0; now < 1000 * PACKET_TIME; now += PACKET_TIME) {
			drb_chooser_hear(middle, 1);
			assert_false(drb_chooser_tick(edge, now, 1));
			if (drb_chooser_tick(middle, now, 1)) {
				drb_chooser_look(middle, waiting);
				looks++;
			}
		}
		assert_int_equal(drb_chooser_mark_down(edge, 1, false), 0);
		assert_true(drb_chooser_mark_down(middle, 1, false) < 1 << DRB_MARK_BITS_MAX);
		if (!scheme->mark_down)
			assert_int_equal(drb_chooser_mark_down(middle, 1, true), 1);
		drb_chooser_free(edge);
		drb_chooser_free(middle);
	}
	assert_true(looks > 0);
}

TEST_MAIN(plant, fell)
