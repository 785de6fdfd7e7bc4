// SPDX-License-Identifier: BSD-3-Clause
// The links that drbctl watch names, and their order.
#include "fixtures/unit.h"

#include "ctl/views/hot_spots.h"

#define PORTS 6

struct stage {
	struct drb_switch_port ports[2][PORTS];
	struct drb_switch_all all[2]; // 2 s apart
};

// Adds a port of 500 packets/s: packets sent meanwhile, ms lost, packets queued.
static void add(struct stage *s, uint64_t sent, uint64_t lost_ms, uint64_t queued)
{
	uint32_t i = s->all[0].port_count;

	for (int k = 0; k < 2; k++) {
		struct drb_switch_port *p = &s->ports[k][i];
		snprintf(p->name, sizeof(p->name), "u%u", i);
		snprintf(p->rate, sizeof(p->rate), "500pps");
		p->count.out_packets = 7000 + (k ? sent : 0);
		p->count.lost_credit_ns = 900 + (k ? lost_ms * 1000000 : 0);
		p->count.queue_packets = queued;
		s->all[k].ports = s->ports[k];
		s->all[k].port_count = i + 1;
		s->all[k].time_ns = UINT64_C(1000000000) * (uint64_t)(5 + 2 * k);
		snprintf(s->all[k].info.name, sizeof(s->all[k].info.name), "s1-0");
	}
}

TEST(full_but_slow_ones_are_named_first)
{
	struct stage s = {0};
	struct hot_spots hot = {0};

	add(&s, 1000, 0, 500); // full
	add(&s, 670, 660, 30); // full, at 67 %
	add(&s, 800, 0, 500);  // has capacity left
	add(&s, 990, 0, 1);    // full, but the queue is empty
	add(&s, 980, 0, 40);   // full
	add(&s, 940, 40, 100); // full, at 94 %
	double slowed = hot_spots_add(&hot, &s.all[0], &s.all[1]);
	assert_true(slowed > 0.329 && slowed < 0.331);
	assert_int_equal(hot.count, 3);
	assert_int_equal(hot.more, 1);
	assert_string_equal(hot.at[0].port, "s1-0.u5");
	assert_string_equal(hot.at[1].port, "s1-0.u1");
	assert_string_equal(hot.at[2].port, "s1-0.u0");
	assert_true(hot.at[1].load > 0.669 && hot.at[1].load < 0.671);
	hot_spots_print(&hot);
}

TEST_MAIN(NULL, NULL)
