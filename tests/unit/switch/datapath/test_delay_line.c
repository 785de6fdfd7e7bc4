// SPDX-License-Identifier: BSD-3-Clause
// Random packets on a link with a delay: each arrives exactly one delay after its departure, and in
// order.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "switch/datapath/worker/delay_line.h"

#define PACKETS 2000

struct stage {
	struct drb_egress q;
	struct drb_delay_line line;
	uint64_t departure[PACKETS]; // by the definition of the queue
	uint64_t pushed, come;
	uint32_t on_link, most;
};

// A packet departs a microsecond after its arrival, or after the departure of the previous one if
// that is later.
static void push(struct stage *s, uint64_t now)
{
	uint64_t last = s->pushed ? s->departure[s->pushed - 1] : 0;
	bool waits = drb_egress_length(&s->q) > 0 || last > now;

	if (s->pushed == PACKETS || !drb_egress_push(&s->q, &s->departure[s->pushed], 60, now))
		return;
	s->departure[s->pushed++] = (waits ? last : now) + 1000;
}

static void take(struct stage *s, uint64_t now, struct drb_rng *rng)
{
	uint32_t due = drb_egress_due(&s->q, now, 16), room = s->line.mask + 1 - s->on_link;

	drb_egress_front(&s->q, &due);
	uint32_t put = drb_delay_line_put(&s->line, &s->q, due, now);
	assert_int_equal(put, due < room ? due : room);
	drb_egress_pop(&s->q, put, 60 * put, now);
	s->on_link += put;
	s->most = s->on_link > s->most ? s->on_link : s->most;
	for (uint32_t count = 1 + drb_rng_below(rng, 16);; count = 16) {
		void **packet = drb_delay_line_due(&s->line, now, &count);
		for (uint32_t i = 0; i < count; i++) {
			assert_ptr_equal(packet[i], &s->departure[s->come]);
			assert_true(s->departure[s->come++] + s->line.delay_ns <= now);
		}
		if (count == 0)
			break;
		drb_delay_line_pop(&s->line, count);
		s->on_link -= count;
	}
	// The remaining packets are not due.
	uint64_t next = drb_delay_line_next_ns(&s->line);
	assert_true(next > now);
	assert_int_equal(next, s->on_link ? s->departure[s->come] + s->line.delay_ns : UINT64_MAX);
}

TEST(each_is_there_after_its_delay)
{
	static const uint32_t places[] = {1, 4, 64};
	static const uint64_t delays[] = {1, 3000, 25000};
	const struct drb_link_model link = {.rate = {1e6, true}, .catchup_ns = UINT64_C(1) << 40};
	struct drb_rng rng = drb_rng_seed(8, 0);

	for (int i = 0; i < 9; i++) {
		struct stage s = {.pushed = 0};
		uint64_t now = 1000;
		assert_int_equal(drb_egress_init(&s.q, 100, &link), 0);
		assert_int_equal(drb_delay_line_init(&s.line, delays[i / 3], places[i % 3]), 0);
		while (s.come < PACKETS) {
			now += drb_rng_below(&rng, i % 2 ? 900 : 3000);
			for (uint32_t n = drb_rng_below(&rng, 4); n > 0; n--)
				push(&s, now);
			take(&s, now, &rng);
		}
		// The line was full at some time if so many packets fit in the delay.
		assert_true(s.most == places[i % 3] || delays[i / 3] < 1000 * places[i % 3]);
		assert_int_equal(drb_delay_line_length(&s.line), 0);
		drb_egress_free(&s.q);
		drb_delay_line_free(&s.line);
	}
}

TEST(without_a_delay_there_are_no_places)
{
	struct drb_delay_line line;

	assert_int_equal(drb_delay_line_init(&line, 0, 100), 0);
	assert_null(line.packet);
	assert_int_equal(drb_delay_line_next_ns(&line), UINT64_MAX);
	drb_delay_line_free(&line);
}

TEST_MAIN(NULL, NULL)
