// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/decide/flow_assign.h"

#include <errno.h>
#include <sys/random.h>

#include <rte_malloc.h>

#include "core/links/port_sets.h"
#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "switch/datapath/decide/difference_sample.h"
#include "switch/datapath/worker/classify.h"

// The packets of a burst that go up, and the flows they belong to.
struct upward {
	uint32_t count;
	uint8_t at[DRB_BURST_MAX]; // place in the burst
	uint8_t flags[DRB_BURST_MAX];
	uint64_t flow[DRB_BURST_MAX];
};

uint64_t drb_assign_bytes(const struct drb_setup *s)
{
	if (s->up_ports == 0 || s->unit == DRB_UNIT_PACKET)
		return 0;
	if (s->unit == DRB_UNIT_FLOW)
		return drb_flow_table_bytes(s->flow_max);
	return rte_align32pow2(s->flow_max) * sizeof(struct drb_flowlet) + (1 << 16);
}

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
		m->flowlet = rte_calloc(NULL, room, sizeof(*m->flowlet), 64);
		rc = m->flowlet ? 0 : -ENOMEM;
	}
	return rc;
}

void drb_assign_free(struct drb_assign_memory *m)
{
	drb_flow_table_free(&m->flows);
	rte_free(m->flowlet);
	m->flowlet = NULL;
}

void drb_assign_exchange(struct drb_worker *w, struct drb_assign_memory *m)
{
	struct drb_assign_memory old = {w->flow_secret, w->flows, w->flowlet, w->flowlet_mask};

	// Counters only grow; flows that are forgotten have ended.
	m->flows.appeared = old.flows.appeared;
	m->flows.idled = old.flows.idled + old.flows.live;
	m->flows.closed = old.flows.closed;
	w->flow_secret = m->secret;
	w->flows = m->flows;
	w->flowlet = m->flowlet;
	w->flowlet_mask = m->flowlet_mask;
	*m = old;
}

void drb_assign_set(struct drb_worker *w, const struct drb_setup *s)
{
	w->flowlet_gap = drb_flow_tick(s->flowlet_gap_ns);
	if (w->flows.entry)
		drb_flow_table_times(&w->flows, s->flow_idle_ns, s->flow_grace_ns);
}

int drb_assign_init(struct drb_worker *w, const struct drb_setup *s)
{
	struct drb_assign_memory memory;
	int rc = drb_assign_make(&memory, s);

	if (rc < 0)
		return rc;
	drb_assign_exchange(w, &memory);
	drb_assign_set(w, s);
	return 0;
}

// Classifies the packets and finds what flows those that go up belong to. flowlets: a constant at
// every call.
static inline __attribute__((always_inline)) void look_at(struct drb_worker *w, struct drb_burst *b,
							  struct upward *up, bool flowlets)
{
	const struct drb_siphash_key secret = w->flow_secret;
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		const struct rte_mbuf *m = b->packets[i];
		b->class[i] = (uint8_t)drb_classify(b->classifier, m);
		if (!(b->class[i] & DRB_CLASS_UP))
			continue;
		up->at[n] = (uint8_t)i;
		up->flow[n] = drb_flow_keyed_hash_of(&secret, rte_pktmbuf_mtod(m, const uint8_t *),
						     m->data_len, &up->flags[n]);
		if (flowlets)
			__builtin_prefetch(&w->flowlet[up->flow[n] & w->flowlet_mask], 1);
		else
			drb_flow_table_prefetch(&w->flows, up->flow[n]);
		n++;
	}
	up->count = n;
}

// The uplinks to choose among, a bit each; 0: all.
static uint64_t usable_uplinks(const struct drb_worker *w)
{
	return w->dead ? drb_ports_from(w->links.usable, w->down_ports) : 0;
}

// What is decided on for packet i of a burst. Schemes know flows by the public hash.
static struct drb_decision decision_on(struct drb_worker *w, const struct drb_burst *b, uint32_t i)
{
	const struct rte_mbuf *m = b->packets[i];
	uint8_t flags;

	return (struct drb_decision){
		.def = b->class[i] - DRB_CLASS_UP,
		.flow = drb_flow_hash_of(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &flags),
		.draw = drb_rng_next(&w->rng)};
}

// Packet unit, for a packet whose flow has no room in the table.
static uint32_t choose_alone(struct drb_worker *w, const struct drb_burst *b, uint32_t i)
{
	const struct drb_decision d = decision_on(w, b, i);
	uint32_t load[DRB_UPLINKS_MAX];

	w->routing.flow_table_full++;
	drb_shared_load_sum(w, load);
	return drb_choose_among(&w->packet_choice, usable_uplinks(w), load, &d);
}

static uint32_t choose_for_flow(struct drb_worker *w, const struct drb_burst *b, uint32_t i)
{
	const struct drb_decision d = decision_on(w, b, i);
	uint32_t load[DRB_UPLINKS_MAX];

	drb_shared_load_flows(w, load);
	if (drb_scheme_has_threshold(w->choice.scheme) && w->choice.uplinks >= 2)
		drb_sample_difference(w, &w->choice, load, &d);
	return drb_choose_among(&w->choice, usable_uplinks(w), load, &d);
}

// The uplink of packet i, of the flow at a position, as of now.
static uint32_t uplink_of_known(struct drb_worker *w, const struct drb_burst *b, uint32_t i,
				uint32_t tick, int32_t position)
{
	struct drb_flow_table *t = &w->flows;
	const struct drb_flow_entry *e = &t->entry[position];

	if (unlikely(drb_flow_ended(t, e, tick))) {
		drb_flow_table_end(t, position);
		drb_flow_table_begin(t, position, choose_for_flow(w, b, i), tick);
	} else if (unlikely(drb_uplink_is_dead(w, e->uplink))) {
		drb_flow_table_move(t, position, choose_for_flow(w, b, i));
		w->routing.flows_moved++;
	}
	return e->uplink;
}

// The uplink of packet i, of a new flow with this hash; *position is that of the flow, if it has room.
static uint32_t uplink_of_new(struct drb_worker *w, const struct drb_burst *b, uint32_t i,
			      uint64_t hash, int32_t *position)
{
	const uint8_t *frame = rte_pktmbuf_mtod(b->packets[i], const uint8_t *);
	uint32_t host = w->port[b->in].host, uplink;

	// Who sends is known by the port, or checked by the switch of layer 1.
	if (host == DRB_NO_LABEL)
		host = drb_addr_label_octets(frame + RTE_ETHER_ADDR_LEN);
	if (unlikely(!drb_flow_table_has_room(&w->flows, host)))
		return choose_alone(w, b, i);
	uplink = choose_for_flow(w, b, i);
	*position = drb_flow_table_add(&w->flows, hash, host, uplink, drb_flow_tick(w->now_ns));
	return *position >= 0 ? uplink : choose_alone(w, b, i);
}

// Packet i goes by this uplink instead of the default in its class.
static inline void send_by(struct drb_burst *b, uint32_t i, uint32_t uplink)
{
	uint8_t class = (uint8_t)(DRB_CLASS_UP + uplink);

	b->counters.redirected += b->class[i] != class;
	b->class[i] = class;
}

static void assign_flows(struct drb_worker *w, const struct upward *up, struct drb_burst *b,
			 uint32_t tick)
{
	int32_t position[DRB_FLOW_BULK];
	struct drb_flow_table *t = &w->flows;

	for (uint32_t from = 0; from < up->count; from += DRB_FLOW_BULK) {
		uint32_t n = up->count - from < DRB_FLOW_BULK ? up->count - from : DRB_FLOW_BULK;
		uint64_t appeared = t->appeared;
		drb_flow_table_find(t, &up->flow[from], n, position);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = up->at[from + k];
			uint64_t flow = up->flow[from + k];
			// It may have appeared earlier in this burst.
			if (unlikely(position[k] < 0 && t->appeared != appeared))
				drb_flow_table_find(t, &flow, 1, &position[k]);
			send_by(b, i,
				likely(position[k] >= 0)
					? uplink_of_known(w, b, i, tick, position[k])
					: uplink_of_new(w, b, i, flow, &position[k]));
			if (likely(position[k] >= 0))
				drb_flow_table_seen(t, position[k], up->flags[from + k], tick);
		}
	}
}

// The flowlets' table has no keys, as CONGA's (Alizadeh et al., SIGCOMM 2014): flows whose hashes
// meet in one entry share its uplink and keep each other's flowlet going. It is never full.
static void assign_flowlets(struct drb_worker *w, const struct upward *up, struct drb_burst *b,
			    uint32_t tick)
{
	const uint32_t waits = drb_waiting_uplinks(w);
	const uint64_t usable = usable_uplinks(w);
	const bool record = drb_sample_burst(w);
	uint32_t load[DRB_UPLINKS_MAX];

	// Packets assigned here are queued after all are.
	drb_shared_load_sum(w, load);
	for (uint32_t k = 0; k < up->count; k++) {
		struct drb_flowlet *e = &w->flowlet[up->flow[k] & w->flowlet_mask];
		uint32_t i = up->at[k];
		if (unlikely(!e->live || tick - e->seen > w->flowlet_gap ||
			     drb_uplink_is_dead(w, e->uplink))) {
			const struct drb_decision d = decision_on(w, b, i);
			if (record)
				drb_sample_difference(w, &w->choice, load, &d);
			e->uplink = (uint8_t)drb_choose_among(&w->choice, usable, load, &d);
			e->live = true;
			w->routing.flowlets++;
		}
		e->seen = tick;
		load[e->uplink] += waits >> e->uplink & 1;
		send_by(b, i, e->uplink);
	}
}

void drb_assign_burst(struct drb_worker *w, struct drb_burst *b)
{
	uint32_t tick = drb_flow_tick(w->now_ns);
	struct upward up;

	b->size = 0; // of no use: most of the time goes into the flows' tables
	if (w->flowlet) {
		look_at(w, b, &up, true);
		assign_flowlets(w, &up, b, tick);
	} else {
		look_at(w, b, &up, false);
		assign_flows(w, &up, b, tick);
	}
}
