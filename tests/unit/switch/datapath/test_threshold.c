// SPDX-License-Identifier: BSD-3-Clause
// Thresholds that follow from measurements, and the record of the loads that decisions compare.
#include "fixtures/unit.h"

#include "drb/threshold.h"

#include <rte_cycles.h>

#include "switch/datapath/decide/flow_assign.h"
#include "fixtures/forward_switch.h"

#define MS UINT64_C(1000000)

#define HEAD(l, d, m, s)                                                                           \
	"fabric: {layers: " #l ", arity: " #d "}\nswitch: {layer: " #m ", label: " #s "}\n"

static void begin_thresholds(const char *text)
{
	begin(text, 1 << 10);
	assert_int_equal(drb_assign_init(&w.decide, &setup), 0);
}

static void near(double value, double want, double by)
{
	if (fabs(value - want) > by)
		fail_msg("%g is not %g", value, want);
}

// For 2 s, each uplink sends this many packets of 1000 bytes per ms.
static void send_up(uint32_t u0, uint32_t u1)
{
	for (int ms = 0; ms < 2000; ms++) {
		w.egress.now_ns += MS;
		w.egress.queue[w.egress.down_ports].head += u0;
		w.egress.queue[w.egress.down_ports].tail += u0;
		w.port[w.egress.down_ports].out_octets += 1000 * u0;
		w.egress.queue[w.egress.down_ports + 1].head += u1;
		w.egress.queue[w.egress.down_ports + 1].tail += u1;
		w.port[w.egress.down_ports + 1].out_octets += 1000 * u1;
		if (w.egress.now_ns >= w.decide.threshold.due_ns)
			drb_threshold_update(&w);
	}
}

static void in_force(double rho)
{
	near(w.decide.threshold.utilisation, rho, 1e-6);
	near(w.decide.threshold.value, 1 - log(1 - rho), 1e-5);
	assert_int_equal(w.decide.choice.margin, drb_margin(w.decide.threshold.value));
	drb_worker_take_snapshot(&w);
	assert_true(w.shared.snapshot.threshold == w.decide.threshold.value);
	assert_true(w.shared.snapshot.utilisation == w.decide.threshold.utilisation);
}

// rho is the mean share of time in which the links were busy, overhead included.
TEST(packet_threshold)
{
	begin_thresholds(HEAD(2, 2, 1, 0) "routing: {threshold: auto}\n"
					  "link: {driver: none, rate: 10kpps}\n");
	assert_int_equal(w.decide.choice.margin, 2); // T = 1
	send_up(9, 5);
	in_force(0.7);
	send_up(10, 9);
	in_force(0.95);
	assert_int_equal(w.decide.choice.margin, 4); // 1 + ln 20 = 3.996
	send_up(20, 20);                             // more than the link can send does not count
	near(w.decide.threshold.utilisation, 1, 1e-6);
	near(w.decide.threshold.value, 1 + log(1000), 1e-9);
	send_up(0, 0);
	in_force(0);
	drb_worker_free(&w);

	begin_thresholds(HEAD(2, 2, 1, 0) "routing: {threshold: auto, unit: flowlet}\n"
					  "link: {driver: none, rate: 20Mbit, overhead: 250}\n");
	send_up(1, 1);
	in_force(0.5);
	drb_worker_free(&w);
}

// The average decays with a time constant of 100 ms.
TEST(smoothing)
{
	begin_thresholds(HEAD(2, 2, 1, 0) "routing: {threshold: auto}\n"
					  "link: {driver: none, rate: 1kpps}\n");
	send_up(1, 1);
	drb_threshold_update(&w);
	near(w.decide.threshold.utilisation, 1, 1e-6);
	w.egress.now_ns += 100 * MS;
	drb_threshold_update(&w);
	near(w.decide.threshold.utilisation, exp(-1), 1e-6);
	drb_worker_free(&w);
}

// Without a rate, packets wait only for the worker.
TEST(worker_as_server)
{
	begin_thresholds(HEAD(2, 2, 1, 0) "routing: {threshold: auto}\nlink: {driver: none}\n");
	drb_threshold_update(&w);
	for (int i = 0; i < 200; i++) {
		uint64_t begun = w.decide.threshold.last_tsc;
		while (rte_rdtsc() - begun < 100000)
			;
		w.egress.now_ns += 20 * MS;
		w.counters.work_cycles += (rte_rdtsc() - begun) / 4;
		drb_threshold_update(&w);
	}
	near(w.decide.threshold.utilisation, 0.25, 0.02);
	drb_worker_free(&w);
}

// Flow unit: T(c) of flows per uplink. Packets that are decided one by one use rho.
TEST(flow_threshold)
{
	begin_thresholds(HEAD(3, 4, 1, 0) "routing: {threshold: auto, unit: flow, flow_max: 1000}\n"
					  "link: {driver: none, rate: 10kpps}\n");
	send_up(0, 0);
	assert_true(w.decide.threshold.value == 0);
	// ln 128 = 4.85: ceil(c / 2) below, then 2.
	static const struct {
		uint32_t flows;
		double threshold;
	} known[] = {{1, 1}, {4, 1}, {8, 1}, {9, 2}, {16, 2}, {19, 3}, {20, 2}, {400, 2}};
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		w.decide.flows.live = known[i].flows;
		send_up(0, 0);
		assert_true(w.decide.threshold.value == known[i].threshold);
		assert_int_equal(w.decide.choice.margin, drb_margin(known[i].threshold));
		assert_int_equal(w.decide.packet_choice.margin, 2);
	}
	w.decide.flows.live = 0;
	drb_worker_free(&w);
}

// A switch of the top layer has no uplinks that could be busy.
TEST(no_uplinks)
{
	begin_thresholds(HEAD(2, 2, 2, 0) "link: {driver: none, rate: 10kpps}\n");
	send_up(0, 0);
	assert_true(w.decide.threshold.utilisation == 0);
	drb_worker_free(&w);
}

// A fixed threshold stays.
TEST(fixed_threshold)
{
	begin_thresholds(
		HEAD(2, 2, 1, 0) "routing: {threshold: 2.5}\nlink: {driver: none, rate: 10kpps}\n");
	send_up(9, 9);
	near(w.decide.threshold.utilisation, 0.9, 1e-6);
	assert_true(w.decide.threshold.value == 2.5);
	assert_int_equal(w.decide.choice.margin, 3);
	drb_worker_free(&w);
}

// Records the decisions of one burst in DRB_DIFFERENCE_EVERY, by the loads that they compared.
TEST(record)
{
	uint32_t bursts = 20 * DRB_DIFFERENCE_EVERY;
	uint64_t sum = 0;

	begin_thresholds(
		HEAD(2, 2, 1, 0) "routing: {threshold: 5}\nlink: {driver: none, rate: 1Gbit}\n");
	for (uint32_t b = 0; b < bursts; b++) {
		struct rte_mbuf *m[8];
		uint8_t frame[60];
		for (uint32_t i = 0; i < 8; i++) {
			make_frame(frame, sizeof(frame), 0, 2); // default u0
			m[i] = mbuf_of(frame, sizeof(frame));
		}
		drb_forward_burst(&w, 0, m, 8);
		w.egress.now_ns += MS;
		empty_queues();
	}
	// Six packets at u0 before u1 is shorter by more than 5; the seventh goes to u1, and so on.
	static const uint32_t seen[8] = {0, 1, 2, 3, 4, 5, 6, 5};
	uint64_t want[DRB_DIFFERENCES] = {0};
	for (uint32_t i = 0; i < 8; i++)
		want[DRB_DIFFERENCE_MAX + seen[i]] += 20;
	for (uint32_t i = 0; i < DRB_DIFFERENCES; i++) {
		assert_int_equal(w.decide.difference[i], want[i]);
		sum += w.decide.difference[i];
	}
	assert_int_equal(sum, 160);
	assert_int_equal(w.decide.routing.up_redirected, bursts);
	drb_worker_free(&w);
}

// Decisions that are recorded without load on any uplink, in either loop. Only packets that are
// decided count, and only schemes with a threshold.
static uint64_t recorded_idle(const char *scheme, bool open)
{
	char text[256];
	uint64_t sum = 0;

	snprintf(text, sizeof(text),
		 HEAD(2, 2, 1, 0) "routing: {scheme: %s}\nlink: {driver: none}\n", scheme);
	begin_thresholds(text);
	w.egress.open = open;
	for (uint32_t b = 0; b <= DRB_DIFFERENCE_EVERY; b++) {
		struct rte_mbuf *m[8];
		uint8_t frame[60];
		for (uint32_t i = 0; i < 8; i++) {
			make_frame(frame, sizeof(frame), 0, i < 3 ? 1 : 2); // three go down
			m[i] = mbuf_of(frame, sizeof(frame));
		}
		drb_forward_burst(&w, 0, m, 8);
		empty_queues();
	}
	for (uint32_t i = 0; i < DRB_DIFFERENCES; i++)
		sum += w.decide.difference[i];
	assert_int_equal(sum, w.decide.difference[DRB_DIFFERENCE_MAX]);
	drb_worker_free(&w);
	return sum;
}

TEST(record_idle)
{
	for (int open = 0; open < 2; open++) {
		assert_int_equal(recorded_idle("drb", open), 10);
		assert_int_equal(recorded_idle("dmodk", open), 0);
		assert_int_equal(recorded_idle("vlb", open), 0);
	}
}

TEST_MAIN(setup_eal, free_eal)
