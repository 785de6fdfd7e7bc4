// SPDX-License-Identifier: BSD-3-Clause
// Hello frames: what is written is read again as the same, and nothing else is read.
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

#include "core/links/hello.h"
#include "core/math/random.h"

static struct drb_hello draw_hello(struct drb_rng *r)
{
	return (struct drb_hello){
		.from = {.layer = 1 + drb_rng_below(r, DRB_LAYERS_MAX),
			 .label = drb_rng_below(r, DRB_HOSTS_MAX),
			 .port = drb_rng_below(r, 2 * DRB_ARITY_MAX),
			 .up = drb_rng_below(r, 2)},
		.fabric = drb_rng_next(r),
		.period_ms = 1 + drb_rng_below(r, DRB_HELLO_PERIOD_MAX_MS),
		.flags = (uint8_t)drb_rng_below(r, DRB_HELLO_FLAGS + 1),
	};
}

static void assert_same(const struct drb_hello *a, const struct drb_hello *b)
{
	assert_int_equal(a->from.layer, b->from.layer);
	assert_int_equal(a->from.label, b->from.label);
	assert_int_equal(a->from.port, b->from.port);
	assert_int_equal(a->from.up, b->from.up);
	assert_true(a->fabric == b->fabric);
	assert_int_equal(a->period_ms, b->period_ms);
	assert_int_equal(a->flags, b->flags);
}

static void round_trip(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 1);
	uint8_t frame[DRB_HELLO_LEN + 4];

	(void)state;
	for (int n = 0; n < 10000; n++) {
		struct drb_hello h = draw_hello(&r), again;
		memset(frame, 0xff,
		       sizeof(frame)); // what is behind the frame's end does not matter
		drb_hello_encode(&h, frame);
		assert_true(drb_hello_is(frame));
		assert_int_equal(drb_hello_decode(frame, DRB_HELLO_LEN, &again), 0);
		assert_same(&h, &again);
		assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), 0);
		assert_int_equal(drb_hello_decode(frame, DRB_HELLO_LEN - 1, &again), -EINVAL);
	}
}

// Every octet counts: a frame with a wrong one is refused or says something else.
static void every_octet_counts(void **state)
{
	struct drb_rng r = drb_rng_seed(1, 2);
	uint32_t refused = 0;

	(void)state;
	for (int n = 0; n < 200; n++) {
		struct drb_hello h = draw_hello(&r), again;
		uint8_t frame[DRB_HELLO_LEN], other[DRB_HELLO_LEN];
		drb_hello_encode(&h, frame);
		for (uint32_t bit = 0; bit < 8 * DRB_HELLO_LEN; bit++) {
			memcpy(other, frame, sizeof(other));
			other[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (drb_hello_decode(other, sizeof(other), &again) < 0) {
				refused++;
				continue;
			}
			drb_hello_encode(&again, frame);
			assert_memory_equal(frame, other, sizeof(frame));
			drb_hello_encode(&h, frame);
		}
	}
	assert_true(refused > 200 * 8 * 40); // all but flags, port, fabric and period
}

static void limits(void **state)
{
	const struct drb_hello good = {
		.from = {.layer = 2, .label = 3, .port = 1}, .fabric = 7, .period_ms = 100};
	struct drb_hello bad[7], again;
	uint8_t frame[DRB_HELLO_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].from.layer = 0; // a host
	bad[1].from.layer = DRB_LAYERS_MAX + 1;
	bad[2].from.label = DRB_HOSTS_MAX;
	bad[3].from.port = 2 * DRB_ARITY_MAX;
	bad[4].flags = DRB_HELLO_FLAGS + 1;
	bad[5].period_ms = 0;
	bad[6].period_ms = DRB_HELLO_PERIOD_MAX_MS + 1;
	drb_hello_encode(&good, frame);
	assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		drb_hello_encode(&bad[i], frame);
		assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), -EINVAL);
	}
}

static void fabrics_differ(void **state)
{
	const uint64_t id[] = {
		drb_hello_fabric("drb", 3, 2),  drb_hello_fabric("drb", 2, 3),
		drb_hello_fabric("drb", 3, 3),  drb_hello_fabric("dr", 3, 2),
		drb_hello_fabric("drb2", 3, 2), drb_hello_fabric("brd", 3, 2),
	};

	(void)state;
	assert_true(id[0] == drb_hello_fabric("drb", 3, 2));
	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		for (size_t k = 0; k < i; k++)
			assert_true(id[i] != id[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_octet_counts),
		cmocka_unit_test(limits),
		cmocka_unit_test(fabrics_differ),
	};
	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
