// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A switch on rings that says hello every 100 ms, and what its neighbours say. Time is the test's.

#include "ring_ports.h"

#define MS UINT64_C(1000000)

static struct drb_worker *w = &all.worker[0];

// A switch of F(3,2) that says hello every 100 ms.
static inline void begin(uint32_t layer, uint32_t label, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "fabric: {layers: 3, arity: 2}\nswitch: {layer: %u, label: %u}\n"
		 "link: {driver: vdev, hello: 100ms}\n"
		 "ports:\n  - {name: d0, device: a}\n  - {name: d1, device: b}\n"
		 "  - {name: u0, device: c}\n  - {name: u1, device: d}\n%s",
		 layer, label, more);
	for (uint32_t i = 0; i < PORTS; i++)
		port_set.rx_queues[i] = 1; // a second worker sends by a port, but receives nothing
	port_set.pool = test_pool;
	start_switch(text);
}

static inline uint32_t empty(uint32_t port, struct drb_hello *last)
{
	uint32_t frames = 0;
	void *p;

	for (; rte_ring_dequeue(from[port][0], &p) == 0; frames++) {
		const uint8_t *frame = rte_pktmbuf_mtod((struct rte_mbuf *)p, uint8_t *);
		assert_true(drb_hello_is(frame));
		assert_int_equal(drb_hello_decode(frame, ((struct rte_mbuf *)p)->data_len, last),
				 0);
		rte_pktmbuf_free(p);
	}
	return frames;
}

static inline void end(void)
{
	struct drb_hello last;

	for (uint32_t i = 0; i < PORTS; i++)
		empty(i, &last);
	free_switch();
}

static inline void turn(uint64_t ms)
{
	w->now_ns = ms * MS;
	drb_liveness_turn(w);
}

// Nothing came in, by any counter.
static inline void nothing_counted(void)
{
	for (uint32_t n = 0; n < all.count; n++) {
		struct drb_worker *each = &all.worker[n];
		assert_int_equal(each->counters.rx_packets, 0);
		for (uint32_t i = 0; i < PORTS; i++)
			assert_int_equal(each->port[i].in_packets | each->port[i].in_octets |
						 each->port[i].out_octets | each->occupancy[i],
					 0);
	}
}

// What the neighbour of a port says.
static inline struct drb_hello neighbour_of(uint32_t port)
{
	return (struct drb_hello){.from = setup.ports[port].peer,
				  .fabric = drb_hello_fabric("drb", 3, 2),
				  .period_ms = 100,
				  .flags = DRB_HELLO_HEARS};
}

static inline void receive(struct drb_worker *by, uint32_t port, const struct drb_hello *h)
{
	uint8_t frame[DRB_HELLO_LEN];
	struct rte_mbuf *m;

	drb_hello_encode(h, frame);
	m = mbuf_of(frame, sizeof(frame));
	by->now_ns = w->now_ns;
	by->counters.rx_packets++;
	drb_forward_burst(by, port, &m, 1);
}

static inline enum drb_live_state state_of(uint32_t port)
{
	struct drb_snapshot *s = &w->snapshot;

	drb_worker_take_snapshot(w);
	return s->live[port].state;
}
