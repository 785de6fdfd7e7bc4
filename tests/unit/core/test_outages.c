// SPDX-License-Identifier: BSD-3-Clause
// The outages that a switch knows: the nearest ones, as many as fit in a hello. They are compared
// with a naive model that searches all of them each time. The second part tests what a switch
// concludes from its neighbours' hellos; test_settled_outages has whole fabrics.
#include "fixtures/unit.h"

#include "core/links/outages.h"
#include "core/math/random.h"

// Impossible outages are left out.
TEST(bounds)
{
	struct drb_tree t;
	struct drb_outages o = {0};

	assert_int_equal(drb_tree_init(&t, 3, 3), 0);
	const uint32_t items = (uint32_t)drb_outage_items(&t), links = drb_outage_link(&t, 1, 0, 0);
	assert_int_equal(items, drb_tree_switches_total(&t) + 2 * drb_tree_links(&t));
	assert_int_equal(links, drb_tree_switches_total(&t));
	drb_outages_add(&o, &t, drb_outage_key(items, DRB_OUTAGE_DEAD), 0);
	drb_outages_add(&o, &t, drb_outage_key(links, DRB_OUTAGE_ALIVE), 0);
	drb_outages_add(&o, &t, drb_outage_key(0, DRB_OUTAGE_DEAD_ABOVE), 0);
	drb_outages_add(&o, &t, UINT32_MAX, 0);
	drb_outages_add(&o, &t, 3, drb_outage_distance_max(&t) + 1);
	assert_int_equal(o.count, 0);
	drb_outages_add(&o, &t, drb_outage_key(items - 1, DRB_OUTAGE_SPARE), 0);
	drb_outages_add(&o, &t, drb_outage_key(links - 1, DRB_OUTAGE_ALIVE),
			drb_outage_distance_max(&t));
	assert_int_equal(o.count, 2);
	assert_true(drb_outages_has(&o, drb_outage_key(items - 1, DRB_OUTAGE_SPARE)));
	assert_false(drb_outages_has(&o, drb_outage_key(items - 1, DRB_OUTAGE_DEAD)));
	assert_int_equal(o.more, 0);
}

#define KEYS 600

// Distance of each key; NONE: not known.
#define NONE 255
struct model {
	uint8_t distance[KEYS];
	bool more;
};

static uint32_t known(const struct model *m)
{
	uint32_t count = 0;

	for (uint32_t key = 0; key < KEYS; key++)
		count += m->distance[key] != NONE;
	return count;
}

// If the list is full, the farthest outage is removed, and the last of several, provided the new
// one precedes it.
static void model_add(struct model *m, uint32_t key, uint32_t distance)
{
	if (m->distance[key] == NONE && known(m) == DRB_OUTAGES_MAX) {
		uint32_t last = 0, farthest = 0;
		for (uint32_t k = 0; k < KEYS; k++) {
			if (m->distance[k] != NONE && m->distance[k] >= farthest) {
				last = k;
				farthest = m->distance[k];
			}
		}
		m->more = true;
		if (distance > farthest || (distance == farthest && key > last))
			return;
		m->distance[last] = NONE;
	}
	if (distance < m->distance[key])
		m->distance[key] = (uint8_t)distance;
}

TEST(as_the_model)
{
	struct drb_tree t;
	struct drb_rng r;
	uint32_t full = 0;

	assert_int_equal(drb_tree_init(&t, 3, 8), 0);
	r = drb_rng_seed(1, 0);
	for (uint32_t round = 0; round < 200; round++) {
		struct drb_outages o = {0};
		struct model m;
		memset(m.distance, NONE, sizeof(m.distance));
		m.more = false;
		const uint32_t adds = drb_rng_below(&r, 1500);
		for (uint32_t i = 0; i < adds; i++) {
			const uint32_t key = drb_rng_below(&r, KEYS);
			const uint32_t distance =
				drb_rng_below(&r, drb_outage_distance_max(&t) + 1);
			if (drb_outage_kind(key) == DRB_OUTAGE_DEAD_ABOVE)
				continue; // they are switches
			drb_outages_add(&o, &t, key, distance);
			model_add(&m, key, distance);
		}
		assert_int_equal(o.count, known(&m));
		for (uint32_t i = 0; i < o.count; i++)
			assert_int_equal(o.distance[i], m.distance[o.key[i]]);
		assert_int_equal(o.more, m.more);
		full += o.count == DRB_OUTAGES_MAX;
	}
	assert_true(full > 20 && full < 180);
}

// Switch s2-0 of F(3,2): down-ports to s1-0 and s1-1, up-ports to s3-0 and s3-2.
static struct drb_tree tree;

static uint32_t key_of(uint32_t layer, uint32_t label, enum drb_outage_kind kind)
{
	return drb_outage_key(drb_outage_switch(&tree, layer, label), kind);
}

static uint32_t link_of(uint32_t port, enum drb_outage_kind kind)
{
	return drb_outage_key(drb_outage_of_port(&tree, 2, 0, port), kind);
}

static struct drb_outages say(struct drb_outage_sources from, const struct drb_outages *said)
{
	struct drb_outages o;

	from.tree = &tree;
	from.layer = 2;
	for (uint32_t i = 0; i < 4; i++)
		from.heard[i] = said;
	drb_outages_gather(&o, &from);
	return o;
}

static void says_only(const struct drb_outages *o, uint32_t key)
{
	assert_int_equal(o->count, 1);
	assert_int_equal(o->key[0], key);
	assert_int_equal(o->distance[0], 0);
}

// A lost link is reported as a dead switch, unless the switch shows that it is alive. Then only the
// link is reported as dead.
TEST(one_for_a_dead_switch)
{
	struct drb_outages said = {0}, o;
	const uint32_t up = drb_tree_up_peer(&tree, 2, 0, 1).label;

	o = say((struct drb_outage_sources){.dead = 8}, NULL);
	says_only(&o, key_of(3, up, DRB_OUTAGE_DEAD));
	// Signs of life: the switch says that it is alive, or reports one of its own links.
	const uint32_t signs[] = {key_of(3, up, DRB_OUTAGE_ALIVE),
				  link_of(3, DRB_OUTAGE_DEAD_ABOVE)};
	for (uint32_t i = 0; i < 2; i++) {
		said.count = 0;
		drb_outages_add(&said, &tree, signs[i], 2);
		o = say((struct drb_outage_sources){.dead = 8}, &said);
		assert_int_equal(o.count, 2);
		assert_true(drb_outages_has(&o, signs[i]));
		assert_true(drb_outages_has(&o, link_of(3, DRB_OUTAGE_DEAD)));
	}
	// Reports of other switches about a link to it are not signs of life.
	said.count = 0;
	drb_outages_add(&said, &tree,
			drb_outage_key(drb_outage_of_port(&tree, 3, up, 3), DRB_OUTAGE_DEAD), 2);
	o = say((struct drb_outage_sources){.dead = 8}, &said);
	assert_true(drb_outages_has(&o, key_of(3, up, DRB_OUTAGE_DEAD)));
}

// A switch that is reported as dead says that it is alive. It does the same if another end reports
// one of its links as dead, unless its own reports on its links already show it.
TEST(the_accused_are_alive)
{
	const uint32_t charges[] = {key_of(2, 0, DRB_OUTAGE_DEAD),
				    link_of(3, DRB_OUTAGE_DEAD_ABOVE), link_of(0, DRB_OUTAGE_DEAD)};

	for (uint32_t i = 0; i < 3; i++) {
		struct drb_outages said = {0}, o;
		drb_outages_add(&said, &tree, charges[i], 3);
		o = say((struct drb_outage_sources){0}, &said);
		assert_int_equal(o.count, i == 0 ? 1 : 2);
		assert_true(drb_outages_has(&o, key_of(2, 0, DRB_OUTAGE_ALIVE)));
		o = say((struct drb_outage_sources){.dead = 9}, &said);
		assert_true(drb_outages_has(&o, key_of(2, 0, DRB_OUTAGE_ALIVE)) == (i == 0));
	}
	// A switch ignores its own reports when they come back to it.
	const uint32_t own[] = {link_of(3, DRB_OUTAGE_DEAD), link_of(0, DRB_OUTAGE_DEAD_ABOVE),
				link_of(1, DRB_OUTAGE_SPARE), key_of(2, 0, DRB_OUTAGE_ALIVE),
				key_of(2, 0, DRB_OUTAGE_SPARE)};
	for (uint32_t i = 0; i < 5; i++) {
		struct drb_outages said = {0}, o;
		drb_outages_add(&said, &tree, own[i], 2);
		o = say((struct drb_outage_sources){0}, &said);
		assert_int_equal(o.count, 0);
	}
}

// If all working links of a switch are spare, so is the switch. Its neighbour then does not report
// it.
TEST(one_for_a_spare_switch)
{
	struct drb_outages said = {0}, o;

	o = say((struct drb_outage_sources){.spare = 15}, NULL);
	says_only(&o, key_of(2, 0, DRB_OUTAGE_SPARE));
	o = say((struct drb_outage_sources){.spare = 7}, NULL);
	assert_int_equal(o.count, 3);
	assert_true(drb_outages_has(&o, link_of(2, DRB_OUTAGE_SPARE)));
	drb_outages_add(&said, &tree,
			key_of(3, drb_tree_up_peer(&tree, 2, 0, 0).label, DRB_OUTAGE_SPARE), 0);
	o = say((struct drb_outage_sources){.spare = 7}, &said);
	assert_int_equal(o.count, 3);
	assert_false(drb_outages_has(&o, link_of(2, DRB_OUTAGE_SPARE)));
	o = say((struct drb_outage_sources){.spare = 7, .dead = 8}, NULL);
	assert_true(drb_outages_has(&o, key_of(2, 0, DRB_OUTAGE_SPARE)));
}

// "More", which means that outages were left out, spreads like outages do, up to the same distance.
TEST(more_is_heard)
{
	struct drb_outages said = {.more = 3}, o;

	o = say((struct drb_outage_sources){0}, &said);
	assert_int_equal(o.more, 4);
	said.more = (uint8_t)drb_outage_distance_max(&tree);
	o = say((struct drb_outage_sources){0}, &said);
	assert_int_equal(o.more, 0);
	// A dead port hears nothing.
	said.more = 1;
	o = say((struct drb_outage_sources){.dead = 15}, &said);
	assert_int_equal(o.more, 0);
}

int main(void)
{
	assert_int_equal(drb_tree_init(&tree, 3, 2), 0);
	return test_all(NULL, NULL);
}
