// SPDX-License-Identifier: BSD-3-Clause
// The outages that a switch knows: as many as a hello tells, the nearest. Against a naive model that looks through all
// of them each time.
#include "fixtures/unit.h"

#include <string.h>

#include "core/links/outages.h"
#include "core/math/random.h"

// More outages than a hello tells: the nearest stay; what cannot be is left out.
static void bounds(void **state)
{
	struct drb_tree t;
	struct drb_outages o = {0},
			   told = {.count = 2, .key = {10, UINT32_MAX}, .distance = {3, 0}};

	(void)state;
	assert_int_equal(drb_tree_init(&t, 3, 3), 0);
	for (uint32_t i = 0; i < 150; i++)
		drb_outages_add(&o, &t, 149 - i, i < 140 ? 1 + i % 11 : 0);
	assert_int_equal(o.count, DRB_OUTAGES_MAX);
	for (uint32_t i = 0; i < o.count; i++) {
		assert_true(i == 0 || o.key[i] > o.key[i - 1]);
		assert_true(o.distance[i] < 11 && (o.key[i] >= 10 || o.distance[i] == 0));
	}
	o.count = 0;
	drb_outages_add(&o, &t, 2 * 107, 0);
	drb_outages_add(&o, &t, 2 * 108, 0);
	drb_outages_add(&o, &t, 3, drb_outage_distance_max(&t) + 1);
	assert_int_equal(o.count, 1);
	o.count = 0;
	drb_outages_hear(&o, &t, &told, 3, 0);
	assert_int_equal(o.count, 1);
	assert_int_equal(o.distance[0], 4);
	const struct drb_end low = drb_outage_end(&t, 5);
	drb_outages_hear(&o, &t, &told, low.layer, low.label);
	assert_int_equal(o.count, 1);
}

#define KEYS 240

// Distance of each key, or NONE.
#define NONE 255
struct model {
	uint8_t distance[KEYS];
};

static uint32_t known(const struct model *m)
{
	uint32_t count = 0;

	for (uint32_t key = 0; key < KEYS; key++)
		count += m->distance[key] != NONE;
	return count;
}

// The farthest goes, of these the first, if the new one is nearer.
static void model_add(struct model *m, uint32_t key, uint32_t distance)
{
	uint32_t last = 0;

	if (m->distance[key] == NONE && known(m) == DRB_OUTAGES_MAX) {
		for (uint32_t k = 0; k < KEYS; k++) {
			if (m->distance[k] != NONE &&
			    (m->distance[last] == NONE || m->distance[k] > m->distance[last]))
				last = k;
		}
		if (m->distance[last] <= distance)
			return;
		m->distance[last] = NONE;
	}
	if (distance < m->distance[key])
		m->distance[key] = (uint8_t)distance;
}

static void as_the_model(void **state)
{
	struct drb_tree t;
	struct drb_rng r;
	uint32_t full = 0;

	(void)state;
	assert_int_equal(drb_tree_init(&t, 3, 4), 0);
	r = drb_rng_seed(1, 0);
	for (uint32_t round = 0; round < 200; round++) {
		struct drb_outages o = {0};
		struct model m;
		memset(&m, NONE, sizeof(m));
		const uint32_t adds = drb_rng_below(&r, 600);
		for (uint32_t i = 0; i < adds; i++) {
			const uint32_t key = drb_rng_below(&r, KEYS);
			const uint32_t distance =
				drb_rng_below(&r, drb_outage_distance_max(&t) + 1);
			drb_outages_add(&o, &t, key, distance);
			model_add(&m, key, distance);
		}
		assert_int_equal(o.count, known(&m));
		for (uint32_t i = 0; i < o.count; i++)
			assert_int_equal(o.distance[i], m.distance[o.key[i]]);
		full += o.count == DRB_OUTAGES_MAX;
	}
	assert_true(full > 50 && full < 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(as_the_model),
	};
	return cmocka_run_group_tests_name("outages", tests, NULL, NULL);
}
