// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/liveness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "core/links/port_selection.h"

#include "switch/ports/carrier.h"
#include "common/cli/log.h"
#include "switch/datapath/worker.h"
#include "switch/datapath/transmit.h"

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

void drb_liveness_drain(struct drb_worker *w, uint32_t i, bool drained)
{
	struct drb_liveness *l = &w->liveness;

	l->port[i].drained = drained;
	if (speaks(l, i))
		l->say_ns[i] = 0; // the neighbour must know at once
	l->changed = true;
	l->due_ns = 0;
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

// no_alternate becomes the down-ports to switches that cannot turn a packet.
static struct drb_port_knowledge known(const struct drb_worker *w, uint32_t *no_alternate)
{
	struct drb_port_knowledge k = {0};

	*no_alternate = 0;
	for (uint32_t i = 0; i < w->ports; i++) {
		const struct drb_link *p = &w->liveness.port[i];
		const uint32_t bit = UINT32_C(1) << i;
		const uint8_t says = i < w->down_ports && p->heard ? p->hello.flags : 0;
		const bool watched = w->liveness.watched[i];
		*no_alternate |= says & DRB_HELLO_NO_ALTERNATE ? bit : 0;
		k.asked |= says & DRB_HELLO_NEEDS_UPSTREAM ? bit : 0;
		if (!w->port[i].active && !w->port[i].memif)
			continue;
		*(i < w->down_ports ? &k.downs : &k.ups) |= bit;
		if (!w->port[i].active)
			k.dead |= bit; // has not met its peer yet
		else if (watched ? drb_link_is_drained(p) : p->drained)
			k.drained |= bit;
		else if (watched && !drb_link_is_usable(p))
			k.dead |= bit;
	}
	return k;
}

// Has the neighbours told at once.
static void say_now(struct drb_worker *w, uint32_t ports)
{
	struct drb_liveness *l = &w->liveness;

	for (uint32_t i = 0; i < w->ports; i++) {
		if ((ports >> i & 1) && speaks(l, i))
			l->say_ns[i] = l->due_ns = w->now_ns;
	}
}

static void tell_needed(struct drb_worker *w, uint32_t needed)
{
	uint32_t before = w->liveness.needed;

	w->liveness.needed = needed;
	for (uint32_t i = 0; i < w->ports; i++) {
		if ((needed ^ before) >> i & 1)
			drb_liveness_log_needed(w, i, needed >> i & 1);
	}
}

// Works out which ports are used and tells the other workers.
static void publish(struct drb_worker *w)
{
	struct drb_liveness *l = &w->liveness;
	uint32_t below;
	struct drb_port_knowledge k = known(w, &below);
	struct drb_port_selection use = drb_select_ports(&k);
	bool no_alternate = __builtin_popcount(k.ups & ~use.out) < 2;

	atomic_store_explicit(&w->published_links.dead, (uint64_t)k.drained << 32 | use.out,
			      memory_order_relaxed);
	atomic_store_explicit(&w->published_links.no_alternate, below, memory_order_relaxed);
	drb_liveness_read(w);
	// Below they must know at once, lest they send us what we cannot turn; above, what we need.
	if (l->no_alternate != no_alternate || l->needs != use.needs)
		say_now(w, k.ups);
	l->no_alternate = no_alternate;
	l->needs = use.needs;
	tell_needed(w, use.needed);
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
	if (l->setup)
		publish(w); // before the first packet: none is for a port that has not met its peer
}

void drb_liveness_read(struct drb_worker *w)
{
	const struct drb_published_links *p = &w->owner->published_links;
	uint64_t both = atomic_load_explicit(&p->dead, memory_order_relaxed);
	uint32_t no_alternate = atomic_load_explicit(&p->no_alternate, memory_order_relaxed);
	uint32_t dead = (uint32_t)both, drained = (uint32_t)(both >> 32);

	if (likely(dead == w->dead && drained == w->drained &&
		   no_alternate == w->links.no_alternate))
		return;
	w->dead = dead;
	w->drained = drained;
	w->links.no_alternate = no_alternate;
	w->links.usable = 0;
	for (uint32_t i = 0; i < w->ports; i++) {
		if (w->port[i].active && !(dead >> i & 1))
			w->links.usable |= UINT64_C(1) << i;
	}
}

static void hear(struct drb_worker *w, uint32_t in, const struct drb_hello *hello)
{
	struct drb_liveness *l = &w->liveness;
	struct drb_link *p = &l->port[in];
	enum drb_link_state before = p->state;
	uint8_t flags = p->hello.flags;

	if (!l->setup || !speaks(l, in) || l->begins[in])
		return; // switched off here, or not looked at yet
	l->in[in]++;
	l->others = true;
	bool changed = drb_link_hear_hello(p, hello, w->now_ns);
	if (changed)
		drb_liveness_log(w, in, before);
	if (changed || flags != hello->flags)
		publish(w);
}

bool drb_liveness_hear_hello(struct drb_worker *w, uint32_t in, struct rte_mbuf *m)
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
	bool carrier = has_carrier(w, i), drained = l->port[i].drained;

	drb_link_init(&l->port[i], &l->setup[i].peer, l->fabric, l->port[i].period_ns, carrier,
		      w->now_ns);
	l->port[i].drained = drained;
	drb_link_check(&l->port[i], carrier, l->others, w->now_ns);
	if (!carrier)
		drb_liveness_log(w, i, DRB_LINK_UNKNOWN);
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
		.flags = (drb_link_hears_neighbour(&l->port[i], w->now_ns) ? DRB_HELLO_HEARS : 0) |
			 (l->port[i].drained ? DRB_HELLO_DRAINED : 0) |
			 (l->no_alternate ? DRB_HELLO_NO_ALTERNATE : 0) |
			 (l->needs >> i & 1 ? DRB_HELLO_NEEDS_UPSTREAM : 0),
	};
	struct rte_mbuf *m = rte_pktmbuf_alloc(l->pool);
	struct drb_send_result result; // there is another one soon

	if (!m)
		return; // out of buffers; there is another one soon
	drb_hello_encode(&hello, (uint8_t *)rte_pktmbuf_append(m, DRB_HELLO_LEN));
	// Ahead of the queue, which may be as long as a neighbour takes to be thought dead.
	if (drb_transmit_now(w, i, &m, 1, &result) == 1)
		l->out[i]++;
	else
		rte_pktmbuf_free(m);
}

static void look(struct drb_worker *w, uint32_t i, bool *changed)
{
	struct drb_liveness *l = &w->liveness;
	enum drb_link_state before = l->port[i].state;
	bool carrier = w->now_ns >= l->ask_ns ? has_carrier(w, i) : l->port[i].carrier;

	if (drb_link_check(&l->port[i], carrier, l->others, w->now_ns)) {
		drb_liveness_log(w, i, before);
		*changed = true;
	}
}

// When to look at a port again, after saying hello if it is time to.
static uint64_t next_look(struct drb_worker *w, uint32_t i)
{
	struct drb_liveness *l = &w->liveness;
	uint64_t period = l->setup[i].hello_ns, due = drb_link_due_ns(&l->port[i]);
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
			drb_link_excuse(&l->port[i], late);
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

void drb_liveness_view(const struct drb_worker *w, struct drb_port_link view[DRB_PORTS_MAX])
{
	const struct drb_liveness *l = &w->liveness;

	for (uint32_t i = 0; i < w->ports; i++) {
		bool awaited = w->port[i].memif && !w->port[i].active;
		view[i] = (struct drb_port_link){
			.watched = awaited || (l->watched[i] && !l->begins[i]),
			.state = awaited ? DRB_LINK_DOWN : l->port[i].state,
			.needed = l->needed >> i & 1,
			.since_ns = l->port[i].since_ns,
			.hellos_in = l->in[i],
			.hellos_out = l->out[i],
			.heard = l->port[i].heard,
			.last = l->port[i].hello,
		};
	}
}
