// SPDX-License-Identifier: BSD-3-Clause
// Packets in a card's transmit ring. A DPDK device is backed by a ring of the test, which drains as
// the test says. Its driver keeps descriptors like those of cards do.
#include "fixtures/unit.h"

#include <rte_bus_vdev.h>
#include <rte_ethdev.h>

#include "fixtures/switch_eal.h"
#include "switch/ports/dpdk/dpdk_port.h"

#define PLACES 64
#define FREE_THRESHOLD 16

static struct ring {
	bool done[PLACES];             // the card has reported it as sent
	uint32_t sent, drained, freed; // packets so far
	uint32_t looks;
} ring;

static struct drb_setup setup;
static struct drb_port port;
static struct drb_dpdk_port own;
static struct drb_port_queue *queue;

// A driver frees sent packets when few descriptors are left, and then forgets what the card
// reported.
static void free_some(void)
{
	while (PLACES - 1 - (ring.sent - ring.freed) < FREE_THRESHOLD &&
	       ring.done[ring.freed % PLACES])
		ring.done[ring.freed++ % PLACES] = false;
}

static uint16_t transmit(void *q, struct rte_mbuf **packets, uint16_t count)
{
	uint16_t n = 0;

	(void)q;
	free_some();
	for (; n < count && ring.sent - ring.freed < PLACES - 1; n++)
		ring.done[ring.sent++ % PLACES] = false;
	rte_pktmbuf_free_bulk(packets, n);
	return n;
}

static int status(void *q, uint16_t offset)
{
	(void)q;
	ring.looks++;
	assert_in_range(offset, 0, PLACES - 1);
	return ring.done[(ring.sent + offset) % PLACES] ? RTE_ETH_TX_DESC_DONE
							: RTE_ETH_TX_DESC_FULL;
}

static void drain(uint32_t count)
{
	for (uint32_t i = 0; i < count && ring.drained != ring.sent; i++)
		ring.done[ring.drained++ % PLACES] = true;
}

static uint32_t put(uint32_t count)
{
	struct rte_mbuf *packets[PLACES];
	struct drb_send_result result = {0};

	assert_int_equal(rte_pktmbuf_alloc_bulk(test_pool, packets, count), 0);
	uint32_t n = drb_pci_port.send(queue, packets, count, &result);
	rte_pktmbuf_free_bulk(packets + n, count - n);
	return n;
}

static int make_device(void **state)
{
	uint16_t id;

	if (setup_eal(state) < 0 || rte_vdev_init("net_null0", "") < 0 ||
	    rte_eth_dev_get_port_by_name("net_null0", &id) < 0)
		return -1;
	setup = setup_of("fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
			 "link: {driver: none}\nports:\n"
			 "  - {name: u0, driver: pci, device: '00:03.0', occupancy: ring}\n"
			 "  - {name: u1, driver: pci, device: '00:04.0'}\n"
			 "  - {name: d0, driver: vdev, device: net_null0, occupancy: ring}\n");
	rte_eth_fp_ops[id].tx_pkt_burst = transmit;
	rte_eth_fp_ops[id].tx_descriptor_status = status;
	port = (struct drb_port){.kind = &drb_pci_port, .setup = &setup.ports[2], .workers = 1};
	drb_dpdk_adopt(&port, &own, id, 1);
	queue = port.queue[0];
	return 0;
}

static int begin(void **state)
{
	(void)state;
	ring = (struct ring){0};
	drb_dpdk_count_unsent(queue, PLACES);
	return 0;
}

TEST_WITH(load_is_sent_less_drained, begin, NULL)
{
	for (uint32_t step = 0; ring.sent < 200000; step++) {
		put(1 + step % 32);
		assert_int_equal(queue->in_ring(queue), ring.sent - ring.drained);
		drain(step % 7 == 0 ? PLACES : step % 3 ? step % 29 : 0);
		assert_int_equal(queue->in_ring(queue), ring.sent - ring.drained);
	}
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

// The card drains without being read, and the driver frees and forgets.
TEST_WITH(seldom_looked_at, begin, NULL)
{
	for (uint32_t step = 0; ring.sent < 20000; step++) {
		put(1 + step % 32);
		drain(step % 37);
		// If all drained packets are freed, no report of the card is left. The next packet
		// that is sent will be reported.
		if (step % 11 == 0 && ring.drained == ring.freed)
			continue;
		if (step % 11 == 0)
			assert_int_equal(queue->in_ring(queue), ring.sent - ring.drained);
	}
	drain(PLACES);
	put(1);
	assert_int_equal(queue->in_ring(queue), 1);
	drain(1);
	assert_int_equal(queue->in_ring(queue), 0);
}

TEST_WITH(a_full_ring, begin, NULL)
{
	for (int i = 0; i < 20; i++)
		put(32);
	assert_int_equal(ring.sent, PLACES - 1);
	assert_int_equal(queue->in_ring(queue), PLACES - 1);
	assert_int_equal(put(32), 0);
	drain(20);
	assert_int_equal(queue->in_ring(queue), PLACES - 1 - 20);
}

TEST_WITH(an_empty_ring_is_not_looked_at, begin, NULL)
{
	assert_int_equal(queue->in_ring(queue), 0);
	assert_int_equal(ring.looks, 0);
	put(20);
	drain(17);
	queue->in_ring(queue);
	assert_int_equal(ring.looks, 4); // three that wait, and the first that is sent
	drain(3);
	assert_int_equal(queue->in_ring(queue), 0);
	assert_int_equal(ring.looks, 5);
	assert_int_equal(queue->in_ring(queue), 0);
	assert_int_equal(ring.looks, 5);
}

static bool tells(const char *driver, uint32_t place, uint32_t workers)
{
	const struct rte_eth_dev_info info = {.driver_name = driver};
	const struct drb_port p = {.kind = place == 0 ? &drb_vdev_port : &drb_pci_port,
				   .setup = &setup.ports[place],
				   .workers = workers};

	return drb_dpdk_tells_unsent(&p, &info);
}

TEST(who_tells)
{
	assert_true(tells("net_e1000_em", 2, 1));
	assert_true(tells("net_i40e", 2, 1));
	assert_false(tells("net_virtio", 2, 1));
	assert_false(tells("net_iavf", 2, 1)); // its source has not been checked for that
	assert_false(tells("net_e1000_em", 2, 2));
	assert_false(tells("net_e1000_em", 3, 1)); // occupancy: queue
	assert_false(tells("net_e1000_em", 0, 1)); // no card
}

TEST_MAIN(make_device, free_eal)
