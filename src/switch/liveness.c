// SPDX-License-Identifier: BSD-3-Clause
#include "liveness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "carrier.h"
#include "common/msg.h"
#include "worker.h"

// Hellos that other workers hand over between two turns: several from each port.
#define RING_SIZE 256
// Between looks at carriers. The kernel itself takes as long to tell of one that is lost, and
// silence tells sooner.
#define CARRIER_NS 1000000000
// A look that is later than this was kept from looking: nobody is to blame for silence meanwhile.
#define LATE_NS 20000000

static bool speaks(const struct drb_liveness *l, uint32_t i)
{
	return l->say_ns[i] != UINT64_MAX;
}

int drb_liveness_init(struct drb_worker *w, const struct drb_setup *s, struct rte_mempool *pool,
		      uint32_t workers)
{
	struct drb_liveness *l = &w->liveness;

	*l = (struct drb_liveness){.pool = pool, .due_ns = UINT64_MAX};
	l->layer = s->layer;
	l->label = s->label;
	l->fabric = drb_hello_fabric(s->fabric, s->tree.layers, s->tree.arity);
	l->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0) {
		drb_error("cannot open a socket to ask for carriers: %s", strerror(errno));
		return -errno;
	}
	l->setup = malloc(w->ports * sizeof(*l->setup));
	if (workers > 1)
		l->ring = rte_ring_create("hellos", RING_SIZE, SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (!l->setup || (workers > 1 && !l->ring)) {
		drb_error("no memory for hellos");
		drb_liveness_free(w);
		return -ENOMEM;
	}
	memcpy(l->setup, s->ports, w->ports * sizeof(*l->setup));
	for (uint32_t i = 0; i < w->ports; i++)
		l->say_ns[i] = UINT64_MAX;
	drb_liveness_set(w, s);
	return 0;
}

void drb_liveness_set(struct drb_worker *w, const struct drb_setup *s)
{
	struct drb_liveness *l = &w->liveness;

	for (uint32_t i = 0; l->setup && i < w->ports; i++) {
		bool watched = w->port[i].active && s->ports[i].hello_ns > 0;
		l->setup[i].hello_ns = s->ports[i].hello_ns;
		l->begins[i] |= watched && !l->watched[i];
		l->watched[i] = watched;
		// Hosts do not say hello, nor is it said to them.
		l->say_ns[i] = watched && s->ports[i].peer.layer > 0 ? 0 : UINT64_MAX;
		l->port[i].period_ns = l->say_ns[i] == 0 ? s->ports[i].hello_ns : 0;
		l->changed = true;
		l->due_ns = 0;
	}
}

void drb_liveness_free(struct drb_worker *w)
{
	struct drb_liveness *l = &w->liveness;
	void *m;

	if (!l->fabric)
		return; // was not begun
	while (l->ring && rte_ring_dequeue(l->ring, &m) == 0)
		rte_pktmbuf_free(m);
	rte_ring_free(l->ring);
	free(l->setup);
	close(l->fd);
	*l = (struct drb_liveness){.due_ns = UINT64_MAX};
}

static bool has_carrier(const struct drb_worker *w, uint32_t i)
{
	const struct drb_port_setup *p = &w->liveness.setup[i];
	struct rte_eth_link link;

	if (p->driver == DRB_DRIVER_AF_PACKET || p->driver == DRB_DRIVER_AF_XDP)
		return drb_carrier_up(w->liveness.fd, p->interface);
	return rte_eth_link_get_nowait(w->port[i].dpdk, &link) < 0 || link.link_status;
}

// Tells the user what became of port i, and what to do about it.
static void tell(const struct drb_worker *w, uint32_t i, enum drb_live_state before)
{
	const struct drb_live *p = &w->liveness.port[i];
	const char *name = w->liveness.setup[i].name;
	char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX];

	drb_end_name(peer, &p->peer);
	drb_end_name(there, &p->hello.from);
	switch (p->state) {
	case DRB_LIVE_MISWIRED:
		if (p->hello.fabric != p->fabric)
			drb_warn("port %s: miswired, not used: its cable goes to %s of another "
				 "fabric, plug it into %s of this one",
				 name, there, peer);
		else
			drb_warn("port %s: miswired, not used: move the far end of its cable from "
				 "%s to %s",
				 name, there, peer);
		break;
	case DRB_LIVE_DOWN:
		if (!p->carrier)
			drb_warn("port %s: down, no carrier (to %s)", name, peer);
		else if (p->heard && p->deaf >= DRB_HELLO_MISSES)
			drb_warn("port %s: down, %s does not hear our hellos", name, peer);
		else
			drb_warn("port %s: down, no hello from %s", name, peer);
		break;
	case DRB_LIVE_DRAINED:
		drb_info("port %s: drained, no new traffic to %s", name, peer);
		break;
	default:
		if (before != DRB_LIVE_UNKNOWN)
			drb_info("port %s: up again", name);
		break;
	}
}

// Works out which ports can be used and tells the other workers.
static void publish(struct drb_worker *w)
{
	struct drb_liveness *l = &w->liveness;
	uint32_t dead = 0, stuck = 0, uplinks = 0;

	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_live *p = &l->port[i];
		bool usable = !l->watched[i] || drb_live_usable(p);
		dead |= usable ? 0 : UINT32_C(1) << i;
		if (i < w->down_ports && p->heard && (p->hello.flags & DRB_HELLO_STUCK))
			stuck |= UINT32_C(1) << i;
		uplinks += i >= w->down_ports && w->port[i].active && usable;
	}
	atomic_store_explicit(&w->published_links.dead, dead, memory_order_relaxed);
	atomic_store_explicit(&w->published_links.stuck, stuck, memory_order_relaxed);
	drb_liveness_read(w);
	// Below they must know at once, lest they send us what we cannot turn.
	if (l->stuck != (uplinks < 2)) {
		l->stuck = uplinks < 2;
		for (uint32_t i = w->down_ports; i < w->ports; i++)
			l->say_ns[i] = speaks(l, i) ? w->now_ns : UINT64_MAX;
		l->due_ns = w->now_ns;
	}
}

void drb_liveness_read(struct drb_worker *w)
{
	const struct drb_links_published *p = &w->owner->published_links;
	uint32_t dead = atomic_load_explicit(&p->dead, memory_order_relaxed);
	uint32_t stuck = atomic_load_explicit(&p->stuck, memory_order_relaxed);

	if (likely(dead == w->dead && stuck == w->links.stuck))
		return;
	w->dead = dead;
	w->links.stuck = stuck;
	w->links.live = 0;
	for (uint32_t i = 0; i < w->ports; i++) {
		if (w->port[i].active && !(dead >> i & 1))
			w->links.live |= UINT64_C(1) << i;
	}
}

static void hear(struct drb_worker *w, uint32_t in, const struct drb_hello *hello)
{
	struct drb_liveness *l = &w->liveness;
	struct drb_live *p = &l->port[in];
	enum drb_live_state before = p->state;
	uint8_t flags = p->hello.flags;

	if (!l->setup || !speaks(l, in) || l->begins[in])
		return; // switched off here, or not looked at yet
	l->in[in]++;
	l->others = true;
	bool changed = drb_live_hear(p, hello, w->now_ns);
	if (changed)
		tell(w, in, before);
	if (changed || flags != hello->flags)
		publish(w);
}

bool drb_liveness_hear(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
{
	struct drb_hello hello;

	if (drb_hello_decode(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &hello) < 0)
		return false;
	w->port[in].in_packets--;
	w->port[in].in_octets -= m->pkt_len;
	w->counters.rx_packets--;
	if (w->owner == w) {
		hear(w, in, &hello);
	} else if (w->owner->liveness.ring) {
		m->port = (uint16_t)in;
		if (rte_ring_enqueue(w->owner->liveness.ring, m) == 0) {
			drb_worker_kick(w->owner);
			return true;
		}
	}
	rte_pktmbuf_free(m);
	return true;
}

bool drb_liveness_handed(const struct drb_liveness *l)
{
	return l->ring && !rte_ring_empty(l->ring);
}

static void take_handed(struct drb_worker *w)
{
	struct drb_hello hello;
	void *handed;

	while (rte_ring_dequeue(w->liveness.ring, &handed) == 0) {
		struct rte_mbuf *m = handed;
		if (drb_hello_decode(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &hello) ==
		    0)
			hear(w, m->port, &hello);
		rte_pktmbuf_free(m);
	}
}

// The first look at a port: listening begins now.
static void begin(struct drb_worker *w, uint32_t i)
{
	struct drb_liveness *l = &w->liveness;
	bool carrier = has_carrier(w, i);

	drb_live_init(&l->port[i], &l->setup[i].peer, l->fabric, l->port[i].period_ns, carrier,
		      w->now_ns);
	if (!carrier)
		tell(w, i, DRB_LIVE_UNKNOWN);
	l->begins[i] = false;
}

static void say(struct drb_worker *w, uint32_t i)
{
	struct drb_liveness *l = &w->liveness;
	const struct drb_port_setup *p = &l->setup[i];
	struct drb_hello hello = {
		.from = {.layer = l->layer, .label = l->label, .port = p->number, .up = p->up},
		.fabric = l->fabric,
		.period_ms = (uint32_t)(p->hello_ns / 1000000),
		.flags = (drb_live_hears(&l->port[i], w->now_ns) ? DRB_HELLO_HEARS : 0) |
			 (l->port[i].drained ? DRB_HELLO_DRAINED : 0) |
			 (l->stuck ? DRB_HELLO_STUCK : 0),
	};
	struct rte_mbuf *m = rte_pktmbuf_alloc(l->pool);

	if (!m)
		return; // out of buffers; there is another one soon
	drb_hello_encode(&hello, (uint8_t *)rte_pktmbuf_append(m, DRB_HELLO_LEN));
	// Ahead of the queue, which may be as long as a neighbour takes to be thought dead.
	if (rte_eth_tx_burst(w->port[i].dpdk, w->port[i].tx_queue, &m, 1) == 1)
		l->out[i]++;
	else
		rte_pktmbuf_free(m);
}

static void look(struct drb_worker *w, uint32_t i, bool *changed)
{
	struct drb_liveness *l = &w->liveness;
	enum drb_live_state before = l->port[i].state;
	bool carrier = w->now_ns >= l->ask_ns ? has_carrier(w, i) : l->port[i].carrier;

	if (drb_live_look(&l->port[i], carrier, l->others, w->now_ns)) {
		tell(w, i, before);
		*changed = true;
	}
}

// When to look at a port again, after saying hello if it is time to.
static uint64_t next_look(struct drb_worker *w, uint32_t i)
{
	struct drb_liveness *l = &w->liveness;
	uint64_t period = l->setup[i].hello_ns, due = drb_live_due_ns(&l->port[i]);
	// All switches of a machine speak at once, at multiples of their period: one wake-up then
	// serves what they say and what they hear.
	uint64_t next = w->now_ns - w->now_ns % period + period;

	if (speaks(l, i) && w->now_ns >= l->say_ns[i]) {
		say(w, i);
		l->say_ns[i] = next;
	}
	next = speaks(l, i) ? l->say_ns[i] : next;
	return due > w->now_ns && due < next ? due : next;
}

void drb_liveness_turn(struct drb_worker *w)
{
	struct drb_liveness *l = &w->liveness;

	if (l->ring)
		take_handed(w);
	if (w->now_ns < l->due_ns)
		return;
	uint64_t late = l->due_ns > 0 ? w->now_ns - l->due_ns : 0;
	bool changed = l->changed;
	for (uint32_t i = 0; i < w->ports; i++) {
		if (late > LATE_NS)
			drb_live_excuse(&l->port[i], late);
		if (l->begins[i])
			begin(w, i);
		else if (l->watched[i])
			look(w, i, &changed);
	}
	if (w->now_ns >= l->ask_ns)
		l->ask_ns = w->now_ns + CARRIER_NS;
	if (changed)
		publish(w);
	l->changed = false;
	l->due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < w->ports; i++) {
		uint64_t next = l->watched[i] ? next_look(w, i) : UINT64_MAX;
		l->due_ns = next < l->due_ns ? next : l->due_ns;
	}
}

void drb_liveness_view(const struct drb_worker *w, struct drb_port_live view[DRB_PORTS_MAX])
{
	const struct drb_liveness *l = &w->liveness;

	for (uint32_t i = 0; i < w->ports; i++) {
		view[i] = (struct drb_port_live){
			.watched = l->watched[i] && !l->begins[i],
			.state = l->port[i].state,
			.since_ns = l->port[i].since_ns,
			.hellos_in = l->in[i],
			.hellos_out = l->out[i],
			.heard = l->port[i].heard,
			.last = l->port[i].hello,
		};
	}
}

uint32_t drb_liveness_trouble(const struct drb_setup *s,
			      const struct drb_port_live view[DRB_PORTS_MAX], char *text,
			      size_t size)
{
	uint32_t ports = s->down_ports + s->up_ports, usable = 0;
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < ports; i++) {
		const struct drb_port_live *v = &view[i];
		char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX];
		if (!v->watched || v->state == DRB_LIVE_UNKNOWN || v->state == DRB_LIVE_UP) {
			usable++;
			continue;
		}
		drb_end_name(peer, &s->ports[i].peer);
		drb_end_name(there, &v->last.from);
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s %s",
						 used ? "; " : "", s->ports[i].name,
						 drb_live_name(v->state));
		if (used < size && v->state == DRB_LIVE_MISWIRED)
			used += (size_t)snprintf(text + used, size - used, ": move %s to %s", there,
						 peer);
	}
	return usable;
}
