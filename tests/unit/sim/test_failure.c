// SPDX-License-Identifier: BSD-3-Clause
// Dead links of a simulation: both ends know of them, switches above know which switches below have
// no other uplink, and all know the shortest paths around them.
#include "fixtures/unit.h"

#include "sim/models/failure.h"

static uint64_t bit(uint32_t port)
{
	return UINT64_C(1) << port;
}

// The other end of each uplink agrees. Returns the number of dead links.
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

#define FAR 1000

// The switch behind a usable port; false: a host, or the port is dead.
static bool behind(const struct drb_tree *t, const struct drb_failures *f, struct drb_end at,
		   uint32_t port, struct drb_end *next)
{
	const uint32_t downs = drb_tree_down_ports(t, at.layer);

	if (!(drb_failures_at(f, at.layer, at.label).usable & bit(port)) ||
	    (at.layer == 1 && port < downs))
		return false;
	*next = port < downs ? drb_tree_down_peer(t, at.layer, at.label, port)
			     : drb_tree_up_peer(t, at.layer, at.label, port - downs);
	return true;
}

// Distances of all switches to a rack, until nothing gets shorter.
static void find_distances(const struct drb_tree *t, const struct drb_failures *f, uint32_t rack,
			   uint32_t distance[])
{
	struct drb_end next;
	bool shorter = true;

	for (uint32_t i = 0; i < t->layers * f->stride; i++)
		distance[i] = i == rack ? 0 : FAR;
	while (shorter) {
		shorter = false;
		for (uint32_t m = 1; m <= t->layers; m++) {
			for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
				uint32_t *mine = &distance[(m - 1) * f->stride + s];
				for (uint32_t p = 0; p < 2 * t->arity; p++) {
					if (!behind(t, f, (struct drb_end){m, s, 0, false}, p,
						    &next))
						continue;
					uint32_t one = distance[(next.layer - 1) * f->stride +
								next.label] +
						       1;
					shorter |= one < *mine;
					*mine = one < *mine ? one : *mine;
				}
			}
		}
	}
}

// Every switch knows exactly the ports where shortest paths to each rack begin.
static void check_routes(const struct drb_tree *t, const struct drb_failures *f)
{
	uint32_t distance[512];
	struct drb_end next;

	assert_in_range(t->layers * f->stride, 1, 512);
	for (uint32_t rack = 0; rack < drb_tree_switches(t, 1); rack++) {
		find_distances(t, f, rack, distance);
		for (uint32_t m = 1; m <= t->layers; m++) {
			for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
				const uint32_t mine = distance[(m - 1) * f->stride + s];
				uint64_t ports = 0;
				for (uint32_t p = 0; mine > 0 && mine < FAR && p < 2 * t->arity;
				     p++) {
					if (behind(t, f, (struct drb_end){m, s, 0, false}, p,
						   &next) &&
					    distance[(next.layer - 1) * f->stride + next.label] +
							    1 ==
						    mine)
						ports |= bit(p);
				}
				assert_int_equal(drb_failures_at(f, m, s).routes[rack], ports);
			}
		}
	}
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
	check_routes(t, &f);
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
