// SPDX-License-Identifier: BSD-3-Clause
// What counters and hellos say of packets that are on a link with a delay: they have left their queue, and are not at the
// other end yet. Time is the test's.
#include "fixtures/unit.h"

#include "switch/datapath/transmit.h"
#include "fixtures/hello_switch.h"

#define PACKETS 5
#define LENGTH 60

static const uint32_t ups[] = {2, 3};

// A switch of F(3,2) with these packets of host 0 on the link of one uplink, and hellos sent before them.
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
	assert_int_equal(w->queued, PACKETS);
	for (uint64_t ms = 1001; ms <= 1010; ms++) {
		w->now_ns = ms * MS;
		drb_transmit(w, &next_ns);
	}
	assert_int_equal(w->queued, PACKETS);
	assert_int_equal(w->occupancy[2] + w->occupancy[3], 0);
}

// Packets that the last hellos by both uplinks say were sent, hellos included.
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

// Hellos overtake what is on the link: a neighbour that does not have it yet has lost nothing.
TEST(hellos_tell_what_has_come)
{
	uint64_t next_ns;

	begin_with_packets_on_a_link();
	assert_int_equal(said_to_be_sent(1), 2);
	turn(1100);
	assert_int_equal(said_to_be_sent(1), 4);
	drb_transmit(w, &next_ns);
	assert_int_equal(w->queued, 0);
	assert_int_equal(take_packets(), PACKETS);
	turn(1200);
	assert_int_equal(said_to_be_sent(1), 6 + PACKETS);
	end();
}

// Without a peer what is on the link is lost, and no octet of it was sent.
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
		octets += w->snapshot.port[ups[u]].out_octets;
		packets += w->snapshot.port[ups[u]].out_packets;
	}
	assert_int_equal(packets, 0);
	assert_int_equal(octets, 0);
	assert_int_equal(w->drop[DRB_DROP_port_down], PACKETS);
	assert_int_equal(w->queued, 0);
	end();
}

TEST_MAIN(setup_rings, free_eal)
