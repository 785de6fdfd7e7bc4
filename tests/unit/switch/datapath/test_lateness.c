// SPDX-License-Identifier: BSD-3-Clause
// Packets leave an egress queue late because its worker did not wake in time.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "switch/datapath/worker/egress_queue.h"

// Lateness is the additional waiting time compared with a worker that always wakes in time.
TEST(lateness_is_what_pauses_cost)
{
	static const double loads[] = {0.5, 0.8, 0.95};
	const struct drb_link_model link = {{1000, true}, 0, 0, 1000000};

	for (size_t l = 0; l < ARRAY_SIZE(loads); l++) {
		struct drb_egress late, good;
		assert_int_equal(drb_egress_init(&late, 4096, &link) |
					 drb_egress_init(&good, 4096, &link),
				 0);
		struct drb_rng r = drb_rng_seed(7, l);
		uint64_t awake = 0, now = 0, slots = 20000;
		for (uint64_t slot = 0; slot < slots + 4096; slot++) {
			now = slot * 1000000;
			for (int i = 0; i < 2 && slot < slots; i++) {
				if (drb_rng_below(&r, 2000) >= 1000 * loads[l])
					continue;
				assert_true(drb_egress_push(&late, &late, 60, now) &&
					    drb_egress_push(&good, &late, 60, now));
			}
			if (drb_rng_below(&r, 500) == 0)
				awake = slot + drb_rng_below(&r, 40);
			for (struct drb_egress *q = &good; q;
			     q = q == &good && slot >= awake ? &late : NULL) {
				uint32_t n = drb_egress_due(q, now, 4096);
				drb_egress_front(q, &n);
				drb_egress_pop(q, n, n * 60, now);
			}
		}
		assert_int_equal(drb_egress_length(&late) + drb_egress_length(&good), 0);
		double cost =
			(double)(drb_egress_queue_ns(&late, now) - drb_egress_queue_ns(&good, now));
		double told = (double)(late.late.ns - good.late.ns);
		printf("# load %g: packets waited %.1f s longer, late %.1f s\n", loads[l],
		       cost / 1e9, told / 1e9);
		assert_true(told > 0.9 * cost && told < 1.1 * cost);
		drb_egress_free(&late);
		drb_egress_free(&good);
	}
}

// Served in time: each packet leaves at its departure.
static void serve_in_time(struct drb_egress *q, uint32_t packets)
{
	while (packets-- > 0) {
		const uint64_t now = q->departure.ns;
		assert_int_equal(drb_egress_due(q, now, 1), 1);
		drb_egress_pop(q, 1, 60, now);
	}
}

static void push(struct drb_egress *q, uint32_t packets, uint64_t now)
{
	while (packets-- > 0)
		assert_true(drb_egress_push(q, q, 60, now));
}

// The lateness of a pause ends with the packets that waited then, also if they leave all at once or
// without a rate, or are dropped because the peer is gone.
TEST(the_next_busy_period_is_not_late)
{
	const struct drb_link_model link = {{1000, true}, 0, 0, 2000000}, unpaced = {0};
	const uint64_t pause = 1000000000, hour = 3600 * pause;
	struct drb_egress_ring none = {0};
	struct drb_egress q;

	enum { LEAVE, LEAVE_WITHOUT_RATE, DROPPED, WAYS };
	for (int way = 0; way < WAYS; way++) {
		assert_int_equal(drb_egress_init(&q, 1024, &link), 0);
		push(&q, 3, 0);
		assert_int_equal(drb_egress_due(&q, pause, 32), 3);
		if (way == LEAVE_WITHOUT_RATE) {
			drb_egress_change(&q, 1024, &unpaced, pause, &none);
			drb_egress_pop(&q, 3, 180, pause);
			drb_egress_change(&q, 1024, &link, pause, &none);
		} else if (way == DROPPED) {
			drb_egress_clear(&q, pause);
		} else {
			drb_egress_pop(&q, 3, 180, pause);
		}
		const uint64_t before = q.late.ns;
		assert_true(before > 0);
		push(&q, 1000, hour);
		serve_in_time(&q, 1000);
		assert_int_equal(q.late.ns, before);
		drb_egress_free(&q);
	}
}

TEST_MAIN(NULL, NULL)
