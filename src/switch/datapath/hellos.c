// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/hellos.h"

#include <errno.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "common/cli/log.h"
#include "switch/datapath/park.h"
#include "switch/datapath/transmit.h"

// Hellos that other workers hand over between two turns: several from each port.
#define RING_SIZE 256

static bool has_carrier(void *worker, uint32_t i)
{
	const struct drb_worker *w = worker;
	const struct drb_port *port = w->port[i].queue->port;

	return port->kind->carrier(port);
}

static bool send_hello(void *worker, uint32_t i, const struct drb_hello *hello)
{
	struct drb_worker *w = worker;
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->hello_io.pool);
	struct drb_send_result result;

	if (!m)
		return false;
	drb_hello_encode(hello, (uint8_t *)rte_pktmbuf_append(m, DRB_HELLO_LEN));
	// Ahead of the queue, which may be as long as a neighbour takes to be thought dead.
	if (drb_transmit_now(w, i, &m, 1, &result) == 1)
		return true;
	rte_pktmbuf_free(m);
	return false;
}

int drb_hellos_init(struct drb_worker *w, const struct drb_setup *s, struct rte_mempool *pool)
{
	const struct drb_liveness_io io = {w, has_carrier, send_hello};

	w->hello_io = (struct drb_hello_io){.pool = pool};
	if (drb_liveness_init(&w->liveness, s, &io, &w->published_links) < 0)
		return -ENOMEM;
	if (s->workers > 1)
		w->hello_io.ring =
			rte_ring_create("hellos", RING_SIZE, SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (s->workers > 1 && !w->hello_io.ring) {
		drb_error("no memory for hellos");
		drb_hellos_free(w);
		return -ENOMEM;
	}
	drb_hellos_set(w, s);
	return 0;
}

void drb_hellos_free(struct drb_worker *w)
{
	void *m;

	if (!w->liveness.setup)
		return; // was not begun
	while (w->hello_io.ring && rte_ring_dequeue(w->hello_io.ring, &m) == 0)
		rte_pktmbuf_free(m);
	rte_ring_free(w->hello_io.ring);
	w->hello_io = (struct drb_hello_io){0};
	drb_liveness_free(&w->liveness);
}

void drb_hellos_set(struct drb_worker *w, const struct drb_setup *s)
{
	uint64_t active = 0, awaited = 0;

	for (uint32_t i = 0; i < w->ports; i++) {
		active |= (uint64_t)w->port[i].active << i;
		awaited |= (uint64_t)(w->port[i].queue && !w->port[i].active) << i;
	}
	drb_liveness_set(&w->liveness, s, active, awaited, w->now_ns);
	drb_hellos_read_links(w);
}

void drb_hellos_read_links(struct drb_worker *w)
{
	struct drb_links links;

	if (likely(!drb_links_read(&w->owner->published_links, &w->links_version, &links)))
		return;
	w->dead = links.dead;
	w->drained = links.drained;
	w->links.no_alternate = links.no_alternate;
	w->links.usable = 0;
	for (uint32_t i = 0; i < w->ports; i++) {
		if (w->port[i].active && !(w->dead >> i & 1))
			w->links.usable |= UINT64_C(1) << i;
	}
}

bool drb_hellos_receive(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	struct drb_hello hello;

	if (drb_hello_decode(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &hello) < 0)
		return false;
	if (w->owner == w) {
		drb_liveness_hear(&w->liveness, in, &hello, w->now_ns);
		drb_hellos_read_links(w);
	} else if (w->owner->hello_io.ring) {
		m->port = (uint16_t)in;
		if (rte_ring_enqueue(w->owner->hello_io.ring, m) == 0) {
			drb_worker_kick(w->owner);
			return true;
		}
	}
	rte_pktmbuf_free(m);
	return true;
}

bool drb_hellos_waiting(const struct drb_worker *w)
{
	return w->hello_io.ring && !rte_ring_empty(w->hello_io.ring);
}

static void take_waiting(struct drb_worker *w)
{
	struct drb_hello hello;
	void *waiting;

	while (rte_ring_dequeue(w->hello_io.ring, &waiting) == 0) {
		struct rte_mbuf *m = waiting;
		if (drb_hello_decode(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &hello) ==
		    0)
			drb_liveness_hear(&w->liveness, m->port, &hello, w->now_ns);
		rte_pktmbuf_free(m);
	}
}

void drb_hellos_service(struct drb_worker *w)
{
	if (w->hello_io.ring)
		take_waiting(w);
	if (w->now_ns >= w->liveness.due_ns)
		drb_liveness_service(&w->liveness, w->now_ns);
	drb_hellos_read_links(w);
}
