// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/decide/flow_assign.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "core/links/port_sets.h"
#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "switch/datapath/decide/difference_sample.h"
#include "switch/datapath/worker/classify.h"

// The packets of a burst that go up, and the flows they belong to.
struct upward {
	uint32_t count;
	uint8_t at[DRB_BURST_MAX]; // index in the burst
	uint8_t flags[DRB_BURST_MAX];
	uint64_t flow[DRB_BURST_MAX];
};

int drb_assign_make(struct drb_assign_memory *m, const struct drb_setup *s)
{
	uint32_t room = rte_align32pow2(s->flow_max);
	enum drb_unit unit = s->up_ports > 0 ? s->unit : DRB_UNIT_PACKET;
	int rc = 0;

	*m = (struct drb_assign_memory){0};
	if (unit != DRB_UNIT_PACKET && getrandom(&m->secret, sizeof(m->secret), 0) < 0)
		return -errno;
	if (unit == DRB_UNIT_FLOW) {
		rc = drb_flow_table_init(&m->flows, s->flow_max, s->hop.span);
		drb_flow_table_times(&m->flows, s->flow_idle_ns, s->flow_grace_ns);
	} else if (unit == DRB_UNIT_FLOWLET) {
		m->flowlet_mask = room - 1;
		m->flowlet = calloc(room, sizeof(*m->flowlet));
		rc = m->flowlet ? 0 : -ENOMEM;
	}
	return rc;
}

void drb_assign_free(struct drb_assign_memory *m)
{
	drb_flow_table_free(&m->flows);
	free(m->flowlet);
	m->flowlet = NULL;
}

void drb_assign_exchange(struct drb_decide_state *d, struct drb_assign_memory *m)
{
	struct drb_assign_memory old = {d->flow_secret, d->flows, d->flowlet, d->flowlet_mask};

	// Counters only grow; live flows that are forgotten count as idled.
	m->flows.appeared = old.flows.appeared;
	m->flows.idled = old.flows.idled + old.flows.live;
	m->flows.closed = old.flows.closed;
	d->flow_secret = m->secret;
	d->flows = m->flows;
	d->flowlet = m->flowlet;
	d->flowlet_mask = m->flowlet_mask;
	*m = old;
}

void drb_assign_set(struct drb_decide_state *d, const struct drb_setup *s)
{
	d->flowlet_gap = drb_flow_tick(s->flowlet_gap_ns);
	if (d->flows.entry)
		drb_flow_table_times(&d->flows, s->flow_idle_ns, s->flow_grace_ns);
}

int drb_assign_init(struct drb_decide_state *d, const struct drb_setup *s)
{
	struct drb_assign_memory memory;
	int rc = drb_assign_make(&memory, s);

	if (rc < 0)
		return rc;
	drb_assign_exchange(d, &memory);
	drb_assign_set(d, s);
	return 0;
}

// Classifies the packets, and hashes the flows of those that go up. flowlets: a constant at every
// call.
static inline __attribute__((always_inline)) void packets_classify(const struct drb_worker *w,
								   struct drb_burst *b,
								   struct upward *up, bool flowlets)
{
	// Copies, as in decide_burst.c: the compiler must assume that a byte written changes the
	// originals.
	const struct drb_hash_key secret = w->decide.flow_secret;
	const struct drb_classifier classifier = *b->classifier;
	struct rte_mbuf **const packets = b->packets;
	const uint32_t count = b->count;
	uint32_t n = 0, size = packets[count - 1]->pkt_len, mixed = 0; // as in decide_burst.c

	for (uint32_t i = 0; i < count; i++) {
		const struct rte_mbuf *m = packets[i];
		uint32_t class = drb_classify(&classifier, m);
		uint8_t flags;
		mixed |= m->pkt_len ^ size;
		b->class[i] = (uint8_t) class;
		if (class < DRB_CLASS_UP)
			continue;
		uint64_t flow = drb_flow_keyed_hash_of(
			&secret, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &flags);
		up->at[n] = (uint8_t)i;
		up->flow[n] = flow;
		if (flowlets) {
			__builtin_prefetch(&w->decide.flowlet[flow & w->decide.flowlet_mask], 1);
		} else {
			up->flags[n] = flags;
			drb_flow_table_prefetch(&w->decide.flows, flow);
		}
		n++;
	}
	up->count = n;
	b->size = mixed ? 0 : size;
}

// The uplinks to choose among, a bit each; 0: all.
static uint64_t usable_uplinks(const struct drb_worker *w)
{
	return w->links.dead ? drb_ports_from(w->links.ports.usable, w->egress.down_ports) : 0;
}

// The dead uplinks, one bit each.
static uint64_t dead_uplinks(const struct drb_worker *w)
{
	return w->links.dead >> w->egress.down_ports;
}

// The decision holds for the whole flow, so the scheme needs no state.
static uint32_t choose_among(const struct drb_choice *c, uint64_t usable, const uint32_t *load,
			     struct drb_decision *d)
{
	const struct drb_decider s = {.choice = *c};

	return drb_decide_among(&s, usable, load, d);
}

// Begins the decision on packet i of a burst by this choice. Schemes identify flows by the public
// hash.
static inline struct drb_decision decision_on(struct drb_worker *w, const struct drb_burst *b,
					      uint32_t i, const struct drb_choice *c)
{
	struct drb_decision d =
		drb_scheme_state_decision(&w->decide.scheme_state, c->ops, false, b->packets[i]);

	d.def = b->class[i] - DRB_CLASS_UP;
	if (drb_draw_of(c) != DRB_DRAW_NONE || w->links.dead)
		d.draw = drb_rng_next(&w->decide.rng);
	return d;
}

// Decides as in packet unit, for a packet whose flow does not fit into the table.
static uint32_t choose_alone(struct drb_worker *w, const struct drb_burst *b, uint32_t i)
{
	struct drb_decision d = decision_on(w, b, i, &w->decide.packet_choice);
	uint32_t load[DRB_UPLINKS_MAX];

	w->decide.routing.flow_table_full++;
	drb_shared_load_sum(&w->decide.shared_load, &w->egress, load);
	return choose_among(&w->decide.packet_choice, usable_uplinks(w), load, &d);
}

static uint32_t choose_for_flow(struct drb_worker *w, const struct drb_burst *b, uint32_t i)
{
	struct drb_decision d = decision_on(w, b, i, &w->decide.choice);
	uint32_t load[DRB_UPLINKS_MAX];

	drb_shared_load_flows(&w->decide, w->egress.up_ports, load);
	if ((w->decide.choice.ops->needs & DRB_HAS_THRESHOLD) && w->decide.choice.uplinks >= 2)
		drb_sample_difference(&w->decide, &w->decide.choice, load, &d);
	return choose_among(&w->decide.choice, usable_uplinks(w), load, &d);
}

// Chooses an uplink again for the flow at a position, because it has ended or its uplink is dead.
static __attribute__((noinline)) void choose_again(struct drb_worker *w, const struct drb_burst *b,
						   uint32_t i, uint32_t tick, int32_t position)
{
	struct drb_flow_table *t = &w->decide.flows;

	if (drb_flow_ended(t, &t->entry[position], tick)) {
		drb_flow_table_end(t, position);
		drb_flow_table_begin(t, position, choose_for_flow(w, b, i), tick);
	} else {
		drb_flow_table_move(t, position, choose_for_flow(w, b, i));
		w->decide.routing.flows_moved++;
	}
}

// Returns the uplink of packet i, which begins a flow with this hash. *position becomes the flow's,
// if the table takes it.
static uint32_t uplink_of_new(struct drb_worker *w, const struct drb_burst *b, uint32_t i,
			      uint64_t hash, int32_t *position)
{
	const uint8_t *frame = rte_pktmbuf_mtod(b->packets[i], const uint8_t *);
	uint32_t host = w->port[b->in].host, uplink;

	// The sender is known by the port, or was checked by the layer-1 switch.
	if (host == DRB_NO_LABEL)
		host = drb_addr_label_octets(frame + DRB_ETHER_SRC);
	if (unlikely(!drb_flow_table_has_room(&w->decide.flows, host)))
		return choose_alone(w, b, i);
	uplink = choose_for_flow(w, b, i);
	*position = drb_flow_table_add(&w->decide.flows, hash, host, uplink,
				       drb_flow_tick(w->egress.now_ns));
	return *position >= 0 ? uplink : choose_alone(w, b, i);
}

// Sends packet i by this uplink. True if that is not its default.
static inline bool send_by(struct drb_burst *b, uint32_t i, uint32_t uplink)
{
	uint8_t class = (uint8_t)(DRB_CLASS_UP + uplink), was = b->class[i];

	b->class[i] = class;
	return class != was;
}

// The same for packet i of a flow that was not found. The flow may have begun earlier in this
// burst.
static __attribute__((noinline)) bool send_new(struct drb_worker *w, struct drb_burst *b,
					       uint32_t i, uint64_t hash, uint8_t flags)
{
	const uint32_t tick = drb_flow_tick(w->egress.now_ns);
	struct drb_flow_table *t = &w->decide.flows;
	int32_t position;
	uint32_t uplink;

	drb_flow_table_find(t, &hash, 1, &position);
	uplink =
		position >= 0 ? t->entry[position].uplink : uplink_of_new(w, b, i, hash, &position);
	if (position >= 0)
		drb_flow_table_seen(t, position, flags, tick);
	return send_by(b, i, uplink);
}

static void assign_flows(struct drb_worker *w, const struct upward *up, struct drb_burst *b,
			 uint32_t tick)
{
	const uint64_t dead = dead_uplinks(w);
	int32_t position[DRB_FLOW_BULK];
	struct drb_flow_table *t = &w->decide.flows;
	uint32_t redirected = 0;

	for (uint32_t from = 0; from < up->count; from += DRB_FLOW_BULK) {
		uint32_t n = up->count - from < DRB_FLOW_BULK ? up->count - from : DRB_FLOW_BULK;
		drb_flow_table_find(t, &up->flow[from], n, position);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = up->at[from + k];
			if (unlikely(position[k] < 0)) {
				redirected +=
					send_new(w, b, i, up->flow[from + k], up->flags[from + k]);
				continue;
			}
			const struct drb_flow_entry *e = &t->entry[position[k]];
			if (unlikely(drb_flow_ended(t, e, tick) || dead >> e->uplink & 1))
				choose_again(w, b, i, tick, position[k]);
			redirected += send_by(b, i, e->uplink);
			drb_flow_table_seen(t, position[k], up->flags[from + k], tick);
		}
	}
	b->counters.redirected += redirected;
}

// The choice for flowlets that begin in a burst.
struct flowlet_choice {
	struct drb_choice choice;
	uint64_t usable; // usable_uplinks()
	bool record;
	bool by_default; // all take their defaults
	uint32_t waits;
	uint32_t load[DRB_UPLINKS_MAX]; // includes packets assigned here, which are queued later
};

static void open_choice(struct drb_worker *w, struct flowlet_choice *c)
{
	c->choice = w->decide.choice;
	c->usable = usable_uplinks(w);
	c->record = drb_sample_burst(&w->decide);
	c->waits = drb_waiting_uplinks(&w->egress);
	drb_shared_load_sum(&w->decide.shared_load, &w->egress, c->load);
	const struct drb_scheme_ops *ops = c->choice.ops;
	const bool unloaded = ops->compares == DRB_COMPARES_NONE ||
			      (!c->record && drb_uplinks_are_unloaded(&w->decide, &w->egress));
	c->by_default = c->usable == 0 && unloaded && (ops->needs & DRB_DEFAULT_UNLOADED);
}

static inline uint32_t uplink_of_flowlet(struct drb_worker *w, const struct drb_burst *b,
					 uint32_t i, const struct flowlet_choice *c)
{
	w->decide.routing.flowlets++;
	if (likely(c->by_default))
		return b->class[i] - DRB_CLASS_UP;
	struct drb_decision d = decision_on(w, b, i, &c->choice);
	if (unlikely(c->record))
		drb_sample_difference(&w->decide, &c->choice, c->load, &d);
	return choose_among(&c->choice, c->usable, c->load, &d);
}

// Like CONGA (Alizadeh et al., SIGCOMM 2014), the flowlet table has no keys: flows whose hashes
// select one entry share its uplink and keep each other's flowlet alive. It is never full.
static void assign_flowlets(struct drb_worker *w, const struct upward *up, struct drb_burst *b,
			    uint32_t tick)
{
	const uint64_t dead = dead_uplinks(w);
	struct flowlet_choice choice;
	uint32_t redirected = 0;

	open_choice(w, &choice);
	for (uint32_t k = 0; k < up->count; k++) {
		struct drb_flowlet *e = &w->decide.flowlet[up->flow[k] & w->decide.flowlet_mask];
		uint32_t i = up->at[k];
		if (!e->live || tick - e->seen > w->decide.flowlet_gap || dead >> e->uplink & 1) {
			e->uplink = (uint8_t)uplink_of_flowlet(w, b, i, &choice);
			e->live = true;
		}
		e->seen = tick;
		choice.load[e->uplink] += choice.waits >> e->uplink & 1;
		redirected += send_by(b, i, e->uplink);
	}
	b->counters.redirected += redirected;
}

void drb_assign_burst(struct drb_worker *w, struct drb_burst *b)
{
	uint32_t tick = drb_flow_tick(w->egress.now_ns);
	struct upward up;

	if (unlikely(b->count == 0))
		return; // all are on a detour
	if (w->decide.flowlet) {
		packets_classify(w, b, &up, true);
		assign_flowlets(w, &up, b, tick);
	} else {
		packets_classify(w, b, &up, false);
		assign_flows(w, &up, b, tick);
	}
}
