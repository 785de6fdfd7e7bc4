// SPDX-License-Identifier: BSD-3-Clause
// Dead links of a simulation: both ends know of them, and parents know of children without another uplink.
#include "fixtures/unit.h"

#include "sim/models/failure.h"

static uint64_t bit(uint32_t port)
{
	return UINT64_C(1) << port;
}

// The other end of each uplink agrees. Returns how many links are dead.
static uint32_t check_switch(const struct drb_tree *t, const struct drb_failures *f, uint32_t layer,
			     uint32_t s)
{
	uint32_t downs = drb_tree_down_ports(t, layer), ups = drb_tree_up_ports(t, layer);
	uint64_t usable = drb_failures_at(f, layer, s).usable;
	uint32_t dead = 0;

	for (uint32_t u = 0; u < ups; u++) {
		struct drb_end peer = drb_tree_up_peer(t, layer, s, u);
		struct drb_usable_ports above = drb_failures_at(f, peer.layer, peer.label);
		uint32_t others = 0;
		for (uint32_t v = 0; v < ups; v++)
			others += v != u && (usable & bit(downs + v));
		assert_int_equal(!(usable & bit(downs + u)), !(above.usable & bit(peer.port)));
		assert_int_equal(others == 0, !!(above.no_alternate & bit(peer.port)));
		dead += !(usable & bit(downs + u));
	}
	return dead;
}

static uint32_t check_fabric(const struct drb_tree *t, struct drb_fail fail, uint64_t seed)
{
	struct drb_failures f = {0};
	uint32_t dead = 0;

	assert_int_equal(drb_failures_make(&f, t, fail, seed), 0);
	for (uint32_t m = 1; m < t->layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++)
			dead += check_switch(t, &f, m, s);
	}
	drb_failures_free(&f);
	return dead;
}

TEST(both_ends_know_of_dead_links)
{
	struct drb_tree t;

	for (uint32_t d = 2; d <= 4; d++) {
		assert_int_equal(drb_tree_init(&t, 3, d), 0);
		for (uint64_t seed = 1; seed <= 20; seed++) {
			uint32_t links = drb_tree_links(&t) / 2;
			assert_int_equal(check_fabric(&t, (struct drb_fail){.links = links}, seed),
					 links);
			assert_true(check_fabric(&t, (struct drb_fail){.switches = 2}, seed) >= d);
		}
	}
}

TEST_MAIN(NULL, NULL)
