// SPDX-License-Identifier: BSD-3-Clause
// Counters and hellos while packets are on a link with a delay: they have left their queue, and
// have not reached the other end. The test sets the time.
#include "fixtures/unit.h"

#include "switch/datapath/transmit.h"
#include "fixtures/hello_switch.h"

#define PACKETS 5
#define LENGTH 60

static const uint32_t ups[] = {2, 3};

// A switch of F(3,2) whose PACKETS packets of host 0 are on the link of one uplink, with hellos
// sent before them.
static void begin_with_packets_on_a_link(void)
{
	uint8_t frame[LENGTH];
	uint64_t next_ns;

	for (uint32_t i = 0; i < PORTS; i++)
		port_set.port[i].rx_queues = 1;
	port_set.pool = test_pool;
	start_switch("fabric: {layers: 3, arity: 2}\nswitch: {layer: 1, label: 0}\n" RINGS
		     "link: {driver: vdev, hello: 100ms, rate: 1kpps, delay: 50ms}\n"
		     "routing: {scheme: dmodk}\n");
	turn(1000);
	make_frame(frame, sizeof(frame), 0, 7);
	for (uint32_t n = 0; n < PACKETS; n++) {
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(w, 0, &m, 1);
	}
	assert_int_equal(w->egress.queued, PACKETS);
	for (uint64_t ms = 1001; ms <= 1010; ms++) {
		w->egress.now_ns = ms * MS;
		drb_transmit(w, &next_ns);
	}
	assert_int_equal(w->egress.queued, PACKETS);
	assert_int_equal(w->egress.occupancy[2] + w->egress.occupancy[3], 0);
}

// The number of packets, hellos included, that the last hellos by both uplinks report as sent.
static uint64_t said_to_be_sent(uint32_t hellos)
{
	struct drb_hello h = {0};
	uint64_t sent = 0;

	for (uint32_t u = 0; u < ARRAY_SIZE(ups); u++) {
		assert_int_equal(empty(ups[u], &h), hellos);
		sent += h.sent;
	}
	return sent;
}

static uint32_t take_packets(void)
{
	uint32_t packets = 0;
	void *p;

	for (uint32_t u = 0; u < ARRAY_SIZE(ups); u++) {
		for (; rte_ring_dequeue(from[ups[u]][0], &p) == 0; packets++)
			rte_pktmbuf_free(p);
	}
	return packets;
}

// Hellos overtake packets on the link: a neighbour that has not received these has lost nothing.
TEST(hellos_tell_what_has_come)
{
	uint64_t next_ns;

	begin_with_packets_on_a_link();
	assert_int_equal(said_to_be_sent(1), 2);
	turn(1100);
	assert_int_equal(said_to_be_sent(1), 4);
	drb_transmit(w, &next_ns);
	assert_int_equal(w->egress.queued, 0);
	assert_int_equal(take_packets(), PACKETS);
	turn(1200);
	assert_int_equal(said_to_be_sent(1), 6 + PACKETS);
	end();
}

// Without a peer, packets on the link are lost, and none of their bytes count as sent.
TEST(a_link_that_ends_loses_what_is_on_it)
{
	uint64_t next_ns, octets = 0, packets = 0;

	begin_with_packets_on_a_link();
	said_to_be_sent(1);
	assert_int_equal(w->port[2].out_octets + w->port[3].out_octets, PACKETS * LENGTH);
	for (uint32_t u = 0; u < ARRAY_SIZE(ups); u++)
		port_set.port[ups[u]].queue[0]->connected = false;
	drb_transmit(w, &next_ns);
	for (uint32_t u = 0; u < ARRAY_SIZE(ups); u++)
		port_set.port[ups[u]].queue[0]->connected = true;
	drb_worker_take_snapshot(w);
	for (uint32_t u = 0; u < ARRAY_SIZE(ups); u++) {
		octets += w->shared.snapshot.port[ups[u]].out_octets;
		packets += w->shared.snapshot.port[ups[u]].out_packets;
	}
	assert_int_equal(packets, 0);
	assert_int_equal(octets, 0);
	assert_int_equal(w->drop[DRB_DROP_port_down], PACKETS);
	assert_int_equal(w->egress.queued, 0);
	end();
}

// Fills the driver's ring with a pointer that is not a packet.
static void fill_driver(uint32_t port)
{
	while (rte_ring_enqueue(from[port][0], &all) == 0)
		;
}

static void empty_driver(uint32_t port)
{
	void *p;

	while (rte_ring_dequeue(from[port][0], &p) == 0)
		;
}

static uint64_t refused(void)
{
	drb_worker_take_snapshot(w);
	return w->shared.snapshot.worker.tx_refused;
}

// The switch has packets for both uplinks, whose links have this delay.
static void begin_with_packets_for_links(const char *delay)
{
	uint8_t frame[LENGTH];
	char text[256];

	snprintf(text, sizeof(text),
		 HEAD RINGS "routing: {scheme: dmodk}\nlink: {driver: vdev, rate: 1Gbit%s}\n",
		 delay);
	start_switch(text);
	w->egress.now_ns = 1000 * MS;
	for (uint32_t n = 0; n < 2 * PACKETS; n++) {
		make_frame(frame, sizeof(frame), 0, 2 + n % 2);
		struct rte_mbuf *m = mbuf_of(frame, sizeof(frame));
		drb_forward_burst(w, 0, &m, 1);
	}
}

static const char *const delays[] = {"", ", delay: 5ms"};

// Full drivers behind queues and behind links with a delay: the worker tries again soon. Each
// refusal counts.
TEST(refused_packets_are_tried_again_soon)
{
	uint64_t next_ns;

	for (size_t d = 0; d < ARRAY_SIZE(delays); d++) {
		uint32_t tries = 0;
		begin_with_packets_for_links(delays[d]);
		fill_driver(2);
		fill_driver(3);
		for (uint32_t step = 0; tries < 3 && step < 100; step++) {
			drb_transmit(w, &next_ns);
			tries += refused() > tries * 2 * PACKETS;
			assert_int_equal(refused(), tries * 2 * PACKETS);
			assert_true(tries == 0 || next_ns - w->egress.now_ns <= 100000);
			w->egress.now_ns += 100000;
		}
		assert_int_equal(tries, 3);
		empty_driver(2);
		empty_driver(3);
		drb_transmit(w, &next_ns);
		assert_int_equal(next_ns, UINT64_MAX);
		assert_int_equal(refused(), 3 * 2 * PACKETS);
		assert_int_equal(take_packets(), 2 * PACKETS);
		free_switch();
	}
}

// The driver loses all packets of a burst except the first, which is sent as part of a GSO packet.
static uint32_t lose_most(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			  struct drb_send_result *result)
{
	(void)q;
	*result = (struct drb_send_result){count - 1, (count - 1) * LENGTH, 1};
	rte_pktmbuf_free_bulk(packets, count);
	return count;
}

TEST(packets_that_a_driver_loses_are_counted)
{
	struct drb_port_queue *q = port_set.port[2].queue[0], before = *q;
	uint64_t next_ns;

	for (size_t d = 0; d < ARRAY_SIZE(delays); d++) {
		begin_with_packets_for_links(delays[d]);
		q->send = lose_most;
		for (uint32_t step = 0; step < 2; step++) {
			w->egress.now_ns += 10 * MS;
			drb_transmit(w, &next_ns);
		}
		q->send = before.send;
		assert_int_equal(take_packets(), PACKETS); // by the other uplink
		drb_worker_take_snapshot(w);
		const struct drb_port_counters *port = &w->shared.snapshot.port[2];
		assert_int_equal(w->shared.snapshot.drop[DRB_DROP_not_sent], PACKETS - 1);
		assert_int_equal(w->shared.snapshot.worker.gso_packets, 1);
		assert_int_equal(port->out_discards, PACKETS - 1);
		assert_int_equal(port->out_packets, 1);
		assert_int_equal(port->out_octets, LENGTH);
		free_switch();
	}
}

TEST_MAIN(setup_rings, free_eal)
