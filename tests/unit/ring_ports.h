// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A switch whose ports are rings in memory: a test puts packets in and takes out what left.

#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "switch/workers.h"
#include "switch_eal.h"

#define PORTS 4 // layer-1 switch 0 of F(2,2): hosts 0 and 1 below, uplinks u0 and u1
#define QUEUES 2
#define RING 1024

#define HEAD "fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n"
// Devices are the test's own; their strings only have to differ.
#define RINGS                                                                                      \
	"ports:\n  - {name: d0, device: a}\n  - {name: d1, device: b}\n"                           \
	"  - {name: u0, device: c}\n  - {name: u1, device: d}\n"

static struct drb_workers all;
static struct drb_setup setup;
static struct drb_port_set port_set;
static struct rte_ring *into[PORTS][QUEUES], *from[PORTS][QUEUES];

static inline void make_ring_port(uint32_t i)
{
	struct rte_eth_conf conf = {0};
	char name[32];

	for (uint32_t q = 0; q < QUEUES; q++) {
		snprintf(name, sizeof(name), "into%u-%u", i, q);
		into[i][q] = rte_ring_create(name, RING, SOCKET_ID_ANY, 0);
		snprintf(name, sizeof(name), "from%u-%u", i, q);
		from[i][q] = rte_ring_create(name, RING, SOCKET_ID_ANY, 0);
		assert_non_null(into[i][q]);
		assert_non_null(from[i][q]);
	}
	snprintf(name, sizeof(name), "port%u", i);
	int id = rte_eth_from_rings(name, into[i], QUEUES, from[i], QUEUES, 0);
	assert_true(id >= 0);
	port_set.dpdk[i] = (uint16_t)id;
	port_set.rx_queues[i] = QUEUES;
	assert_int_equal(rte_eth_dev_configure(port_set.dpdk[i], QUEUES, QUEUES, &conf), 0);
	for (uint16_t q = 0; q < QUEUES; q++) {
		assert_int_equal(
			rte_eth_rx_queue_setup(port_set.dpdk[i], q, RING, 0, NULL, test_pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port_set.dpdk[i], q, RING, 0, NULL), 0);
		port_set.socket[q][i].fd = port_set.out[q][i].fd = -1;
	}
	assert_int_equal(rte_eth_dev_start(port_set.dpdk[i]), 0);
	port_set.count = PORTS;
}

// Before a group of tests; free_eal() is for afterwards.
static inline int setup_rings(void **state)
{
	if (setup_eal(state) < 0)
		return -1;
	for (uint32_t i = 0; i < PORTS; i++)
		make_ring_port(i);
	return 0;
}

static inline void start_switch(const char *text)
{
	setup = setup_of(text);
	assert_int_equal(drb_workers_init(&all, &setup), 0);
	assert_int_equal(drb_workers_attach(&all, &port_set, &setup), 0);
	assert_int_equal(drb_workers_idle_init(&all), 0);
}

static inline void free_switch(void)
{
	drb_workers_idle_free(&all);
	drb_workers_free(&all);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

static inline void *run_workers(void *arg)
{
	(void)arg;
	drb_workers_run(&all);
	return NULL;
}

struct totals {
	uint64_t in, out, dropped, queue;
};

// Of all ports, in a picture that conserves packets.
static inline struct totals totals_of(const struct drb_snapshot *s)
{
	struct totals t = {0};
	uint64_t reasons = 0;

	for (uint32_t i = 0; i < PORTS; i++) {
		t.in += s->port[i].in_packets;
		t.out += s->port[i].out_packets;
		t.dropped += s->port[i].in_discards + s->port[i].out_discards;
		t.queue += s->port[i].queue_packets;
	}
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		reasons += s->drop[i];
	assert_int_equal(t.in, t.out + t.dropped + t.queue);
	assert_int_equal(t.dropped, reasons);
	assert_int_equal(t.in, s->worker.rx_packets);
	return t;
}

static struct drb_snapshot seen;

// The same of what is seen now, while the switch forwards.
static inline struct totals picture(void)
{
	assert_int_equal(drb_workers_snapshot(&all, &seen), 0);
	return totals_of(&seen);
}
