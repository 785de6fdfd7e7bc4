// SPDX-License-Identifier: BSD-3-Clause
// drbtopo's walk over links visits every port of every node exactly once, and both ends agree with
// the wiring from the other side. Codes and addresses are printed correctly.
#include "fixtures/unit.h"

#include "plan/topo.h"

static const struct {
	uint32_t layers, arity, uplinks;
} shapes[] = {{1, 1, 1}, {1, 4, 4}, {2, 1, 1}, {2, 3, 3}, {3, 2, 2}, {3, 3, 3}, {4, 2, 2},
	      {2, 7, 7}, {2, 3, 1}, {2, 4, 2}, {3, 2, 1}, {3, 3, 2}, {4, 2, 1}};

// Index of a port among all ports of all nodes, hosts first.
static size_t port_index(const struct drb_tree *t, const struct drb_end *end)
{
	size_t at = end->label;

	if (end->layer == 0)
		return at;
	at = t->hosts;
	for (uint32_t m = 1; m < end->layer; m++)
		at += (size_t)drb_tree_switches(t, m) * 2 * t->arity;
	return at + (size_t)end->label * 2 * t->arity +
	       (end->up ? drb_tree_down_ports(t, end->layer) : 0) + end->port;
}

TEST(the_walk_meets_every_port_once)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct drb_tree t;
		assert_int_equal(drb_tree_init_uplinks(&t, shapes[i].layers, shapes[i].arity,
						       shapes[i].uplinks),
				 0);
		size_t ports = t.hosts + (size_t)drb_tree_switches_total(&t) * 2 * t.arity;
		size_t absent = t.layers > 1 ? drb_tree_switches(&t, 1) * (t.arity - t.uplinks) : 0;
		uint8_t *seen = calloc(ports, 1);
		assert_non_null(seen);

		struct topo_links walk = {.tree = &t};
		struct topo_link link;
		uint64_t links = 0;
		for (; topo_links_next(&walk, &link); links++) {
			assert_int_equal(link.upper.layer, link.lower.layer + 1);
			assert_true(link.lower.up);
			assert_false(link.upper.up);
			assert_int_equal(seen[port_index(&t, &link.lower)]++, 0);
			assert_int_equal(seen[port_index(&t, &link.upper)]++, 0);
			struct drb_end back = drb_tree_down_peer(&t, link.upper.layer,
								 link.upper.label, link.upper.port);
			assert_int_equal(back.layer, link.lower.layer);
			assert_int_equal(back.label, link.lower.label);
			assert_int_equal(back.port, link.lower.port);
		}
		assert_int_equal(links, t.hosts + (uint64_t)drb_tree_links(&t) * (t.layers - 1));
		for (size_t p = 0; p < ports; p++) {
			assert_in_range(seen[p], 0, 1);
			absent -= !seen[p]; // of the 2d positions of a switch's ports
		}
		assert_int_equal(absent, 0);
		assert_false(topo_links_next(&walk, &link));
		free(seen);
	}
}

TEST(codes_are_written_top_digit_first)
{
	struct drb_tree t;
	char text[DRB_CODE_MAX];

	assert_int_equal(drb_tree_init(&t, 3, 2), 0);
	// The paper's hosts 4 = (1,0,0) and 10 = (2,1,0).
	drb_code_text(text, &t, 0, 4);
	assert_string_equal(text, "(1,0,0)");
	drb_code_text(text, &t, 0, 10);
	assert_string_equal(text, "(2,1,0)");
	drb_code_text(text, &t, 1, 7);
	assert_string_equal(text, "(3,1)");
	drb_code_text(text, &t, 3, 2);
	assert_string_equal(text, "(1,0)");
	assert_int_equal(drb_tree_init(&t, 1, 5), 0);
	drb_code_text(text, &t, 1, 0);
	assert_string_equal(text, "()");
	// The longest possible code fits.
	assert_int_equal(drb_tree_init(&t, DRB_LAYERS_MAX, 3), 0);
	drb_code_text(text, &t, 0, t.hosts - 1);
	assert_string_equal(text, "(5,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2)");
}

TEST(ends_and_addresses_are_named)
{
	const struct drb_end ends[] = {
		{2, 5, 1, false}, {1, 0, 1, true}, {0, 12, 0, true}, {3, 17, 31, false}};
	const char *const names[] = {"s2-5.d1", "s1-0.u1", "h12.eth0", "s3-17.d31"};
	struct topo topo = {0};
	char text[2 * DRB_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		drb_end_name(text, &ends[i]);
		assert_string_equal(text, names[i]);
	}
	assert_int_equal(drb_tree_init(&topo.tree, 3, 2), 0);
	topo.addresses = drb_addr_default(topo.tree.hosts);
	topo_mac(text, &topo, 10);
	assert_string_equal(text, "02:00:00:00:00:0a");
	topo_ipv4(text, &topo, 10);
	assert_string_equal(text, "10.0.0.11");
	topo_ipv6(text, &topo, 10);
	assert_string_equal(text, "fd00::b");
}

TEST_MAIN(NULL, NULL)
