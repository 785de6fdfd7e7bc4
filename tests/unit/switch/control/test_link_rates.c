// SPDX-License-Identifier: BSD-3-Clause
// `rate: link`: ports have the speed of their links, which the test sets.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "fixtures/switch_eal.h"
#include "switch/control/link_rates.h"
#include "switch/control/reconfigure.h"
#include "switch/datapath/forward.h"

#define U0 2
#define HEAD "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
#define CARDS                                                                                      \
	"link: {driver: pci}\nports:\n  - {name: d0, device: '00:01.0'}\n"                         \
	"  - {name: d1, device: '00:02.0'}\n  - {name: u0, device: '00:03.0'}\n"                   \
	"  - {name: u1, device: '00:04.0'"

static struct drb_workers all;
static struct drb_worker *const w = &all.worker[0];
static struct drb_setup setup;
static struct drb_port port[4];
static struct drb_port_queue queue[4];
static uint64_t speed[4]; // of each link, bit/s; 0: unknown

static uint64_t speed_of(const struct drb_port *p)
{
	return speed[p->index];
}

static const struct drb_port_kind kind = {.name = "test", .speed = speed_of};

static void begin(const char *text)
{
	setup = setup_of(text);
	memset(speed, 0, sizeof(speed));
	assert_int_equal(drb_workers_init(&all, &setup), 0);
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		port[i] = (struct drb_port){.kind = &kind, .index = i, .workers = 1};
		drb_port_add_queue(&port[i], 0, &queue[i]);
		drb_worker_attach(w, i, 512, &queue[i]);
	}
}

// Applies a changed speed of a link like the switch does.
static bool follow(void)
{
	static struct drb_setup now;
	struct drb_reconfigure change;

	now = setup;
	if (!drb_link_rates_fill(&all, &now))
		return false;
	assert_int_equal(drb_reconfigure_make(&change, w, &setup, &now), 0);
	drb_reconfigure_apply(w, &change);
	drb_reconfigure_free(&change);
	drb_link_rates_say(&setup, &now);
	setup = now;
	return true;
}

TEST(cards_go_by_their_links)
{
	begin(HEAD CARDS ", rate: none}\nprocess: {idle: poll}\n");
	assert_true(setup.ports[U0].link_rate);
	assert_false(setup.ports[U0 + 1].link_rate);
	assert_int_equal(setup.ports[U0].catchup_ns, 20000);
	assert_int_equal(setup.ports[U0 + 1].catchup_ns, 2000000);
	assert_false(w->egress.paced);
	assert_false(follow());
	speed[U0] = 1000000000;
	assert_true(follow());
	assert_string_equal(drb_msg_last(),
			    "port u0: its link negotiated 1Gbit, which is its rate now");
	assert_true(w->egress.paced);
	assert_true(w->egress.queue[U0].paced);
	assert_false(w->egress.queue[U0 + 1].paced);
	assert_int_equal(w->egress.queue[U0].time_per_unit, UINT64_C(8) << 32);
	assert_false(follow());
	drb_workers_free(&all);
}

// Packets that are queued when the speed changes leave at the new speed.
TEST(queued_packets_follow)
{
	uint8_t frame[60];

	begin(HEAD "routing: {scheme: dmodk}\n" CARDS "}\n");
	make_frame(frame, sizeof(frame), 0, 4);
	for (int i = 0; i < 10; i++) {
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(w, 0, &m, 1);
	}
	assert_int_equal(w->egress.occupancy[U0], 10);
	speed[U0] = 10000000; // 84 bytes: 67.2 us
	assert_true(follow());
	uint64_t now = w->egress.now_ns;
	assert_int_equal(drb_egress_due(&w->egress.queue[U0], now + 67199, 10), 0);
	assert_int_equal(drb_egress_due(&w->egress.queue[U0], now + 67200, 10), 1);
	assert_int_equal(drb_egress_due(&w->egress.queue[U0], now + 672000, 10), 10);
	speed[U0] = 100000000;
	assert_true(follow());
	assert_int_equal(drb_egress_due(&w->egress.queue[U0], w->egress.now_ns + 67200, 10), 10);
	speed[U0] = 0; // the link no longer reports a speed
	assert_true(follow());
	assert_string_equal(drb_msg_last(), "port u0: the speed of its link is unknown, so it has "
					    "no rate: give one (ports[2].rate)");
	assert_false(w->egress.paced);
	assert_int_equal(w->egress.occupancy[U0], 10);
	drb_workers_free(&all);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

TEST_MAIN(setup_eal, free_eal)
