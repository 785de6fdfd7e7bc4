// SPDX-License-Identifier: BSD-3-Clause
// Packet unit: where each packet of a burst goes. One loop, compiled for each scheme and each form
// in which it may have the loads of the uplinks at hand.
#include "switch/datapath/decide/decide_burst.h"

#include <rte_mbuf.h>

#include "core/packet/flow_key.h"
#include "core/routing/decide.h"

#include "switch/datapath/decide/difference_sample.h"

// The loads of the uplinks while a burst is decided.
enum loads_form {
	LOADS_NONE, // no uplink has one, nor gets one by this burst
	LOADS_QUEUED, // all packets will be queued, and the decision compares no more than two choices
	LOADS_ANY,
	LOADS_RINGS, // likewise; some are in rings (ring_load.h)
	LOADS_FORMS
};

// Constants in each loop.
struct loop_variant {
	enum drb_scheme scheme;
	enum loads_form form;
	bool marks; // packets may come or leave with a mark of the scheme
};

// A packet that is queued adds to the load of its uplink if it has to wait there.
struct burst_loads {
	struct drb_loads loads; // none, or load
	uint32_t load[DRB_UPLINKS_MAX];
	uint32_t wait[DRB_UPLINKS_MAX]; // what a packet adds: 1 where it waits, else 0
	uint32_t room[DRB_UPLINKS_MAX]; // free places in queues; not of LOADS_QUEUED
};

static inline __attribute__((always_inline)) void open_loads(const struct drb_worker *w,
							     enum loads_form form,
							     struct burst_loads *l)
{
	l->loads = (struct drb_loads){0};
	if (form == LOADS_NONE)
		return;
	drb_shared_load_sum(w, l->load);
	const uint32_t waiting = drb_waiting_uplinks(w);
	for (uint32_t u = 0; u < w->up_ports; u++) {
		l->wait[u] = waiting >> u & 1;
		if (form != LOADS_QUEUED)
			l->room[u] = drb_egress_room(&w->egress[w->down_ports + u]);
	}
	l->loads.at = l->load; // after the call, so that the compiler knows it in the loop
}

static inline __attribute__((always_inline)) void add_load(enum loads_form form, uint32_t up,
							   struct burst_loads *l)
{
	if (form == LOADS_NONE)
		return;
	if (form != LOADS_QUEUED) {
		if (l->room[up] == 0)
			return;
		l->room[up]--;
	}
	l->load[up] += l->wait[up];
}

// What the burst is decided by, copied from the worker: the compiler takes whatever is written into
// a frame for a change of that.
static inline __attribute__((always_inline)) struct drb_decider decider_of(
	const struct drb_worker *w, const struct loop_variant v, struct drb_spread *spread)
{
	struct drb_decider d = drb_scheme_state_decider(&w->scheme_state, v.scheme);

	d.choice = w->choice;
	d.choice.scheme = v.scheme;
	if (v.form < LOADS_ANY)
		d.choice.choices = 2;
	if (v.scheme == DRB_SCHEME_WALK)
		*spread = w->scheme_state.spread;
	if (!v.marks)
		spread->distance = 0; // it is: the compiler shall know
	d.spread = spread;
	if (v.scheme != DRB_SCHEME_DMODK && (d.choice.uplinks < 2 || d.by_group.unit))
		__builtin_unreachable(); // see loop_of()
	if (d.choice.margin == 0)
		__builtin_unreachable(); // see drb_margin(): so that without loads nothing moves
	return d;
}

// What the loop draws for a packet. Without loads, no threshold is exceeded by any candidate.
static inline __attribute__((always_inline)) enum drb_draw draw_of(const struct drb_choice *c,
								   enum loads_form form)
{
	return form == LOADS_NONE && drb_scheme_has_threshold(c->scheme) ? DRB_DRAW_NONE
									 : drb_draw_of(c);
}

static inline __attribute__((always_inline)) struct drb_decision decision_on(
	const struct drb_decider *s, const struct loop_variant v, const struct rte_mbuf *m,
	uint8_t mac_octet)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct drb_decision d = {.dest = drb_addr_label_octets(frame)};
	uint8_t flags;

	if (drb_scheme_has(s->choice.scheme, DRB_READS_FLOW))
		d.flow = drb_flow_hash_of(frame, m->data_len, &flags);
	if (v.marks)
		d.mark = frame[DRB_MARK_AT] ^ mac_octet;
	return d;
}

// Whoever empties a ring takes a burst at once, so packets that follow each other to one host would not
// wait for less in two rings than in one, but would arrive in another order: they stay together. Walk takes
// packets in turn in any case.
struct train {
	bool made;         // a constant at every call
	uint32_t dest, up; // of the last packet
};

// The uplink of a packet for which the scheme chose this one. True if it goes with the packet before it.
static inline __attribute__((always_inline)) bool follow(struct train *t, uint32_t dest,
							 uint32_t *up)
{
	bool follows = t->made && dest == t->dest;

	if (follows)
		*up = t->up;
	t->dest = dest;
	t->up = *up;
	return follows;
}

// The loop: each packet is classified; for one that goes up, the scheme chooses the uplink.
static inline __attribute__((always_inline)) void decide(struct drb_worker *w, struct drb_burst *b,
							 const struct loop_variant v)
{
	const struct drb_classifier classifier = *b->classifier;
	const uint8_t mac_octet = w->scheme_state.mac_octet;
	// See drb_scheme_state_size(). A link with a rate is never without load.
	const bool octets = v.form != LOADS_NONE && w->scheme_state.octets;
	const uint32_t overhead = w->scheme_state.overhead;
	struct drb_spread spread; // what changes of it is in the memory that it points to
	struct drb_decider decider = decider_of(w, v, &spread);
	const enum drb_draw draw = draw_of(&decider.choice, v.form);
	const uint32_t per_number = drb_draws_per_number(draw, decider.choice.uplinks);
	struct rte_mbuf **const packets = b->packets;
	const uint32_t count = b->count;
	// Of the last one: with the first the compiler would read each packet's place twice.
	uint32_t size = packets[count - 1]->pkt_len, mixed = 0, redirected = 0, walked = 0;
	struct train train = {v.form == LOADS_RINGS && v.scheme != DRB_SCHEME_WALK, UINT32_MAX, 0};
	struct burst_loads l;

	open_loads(w, v.form, &l);
	for (uint32_t i = 0, end; i < count; i = end) {
		uint64_t number = per_number == UINT32_MAX ? 0 : drb_rng_next(&w->rng);
		end = count - i > per_number ? i + per_number : count;
		for (uint32_t k = i; k < end; k++) {
			struct rte_mbuf *m = packets[k];
			uint32_t class = drb_classify(&classifier, m);
			mixed |= m->pkt_len ^ size;
			if (class >= DRB_CLASS_UP) {
				struct drb_decision d = decision_on(&decider, v, m, mac_octet);
				d.def = class - DRB_CLASS_UP;
				const uint8_t came = d.mark;
				if (v.scheme == DRB_SCHEME_WALK)
					d.size = octets ? m->pkt_len + overhead : 1;
				d.draw = drb_draw_next(draw, decider.choice.uplinks, &number);
				uint32_t up = drb_decide_uplink(&decider, l.loads, &d);
				const bool follows = follow(&train, d.dest, &up);
				redirected += up != d.def;
				walked += d.walks;
				if (v.form >= LOADS_ANY && unlikely(b->recorded) && !d.walks &&
				    !follows)
					drb_sample_difference(w, &decider.choice, l.load, &d);
				if (v.marks && d.mark != came)
					rte_pktmbuf_mtod(m, uint8_t *)[DRB_MARK_AT] =
						mac_octet ^ d.mark;
				add_load(v.form, up, &l);
				class = DRB_CLASS_UP + up;
			}
			b->class[k] = (uint8_t) class;
		}
	}
	b->size = mixed ? 0 : size;
	b->counters.redirected = redirected;
	b->counters.walked = walked;
}

// The loops, one for each variant.
typedef void decide_loop(struct drb_worker *w, struct drb_burst *b);

// clang-format off
#define LOOP(name, scheme, form)                                                                   \
	static void name(struct drb_worker *w, struct drb_burst *b)                                \
	{                                                                                          \
		decide(w, b, (struct loop_variant){scheme, form, false});                          \
	}                                                                                          \
	static void name##_marks(struct drb_worker *w, struct drb_burst *b)                        \
	{                                                                                          \
		decide(w, b, (struct loop_variant){scheme, form,                                   \
						   drb_scheme_table[scheme].mark_bits > 0});       \
	}
#define LOOP_NONE(id)   LOOP(decide_##id##_none, DRB_SCHEME_##id, LOADS_NONE)
#define LOOP_LOADS(id)  LOOP(decide_##id##_queued, DRB_SCHEME_##id, LOADS_QUEUED)                  \
			LOOP(decide_##id##_any, DRB_SCHEME_##id, LOADS_ANY)                        \
			LOOP(decide_##id##_rings, DRB_SCHEME_##id, LOADS_RINGS)

// What a scheme has follows from how many loads it compares. The two loops of a scheme without marks
// are the same, which the compiler finds.
#define LOOPS_NONE(id) LOOP_NONE(id)
#define LOOPS_TWO(id)  LOOP_NONE(id) LOOP_LOADS(id)
#define LOOPS_ALL(id)  LOOP_LOADS(id)
#define X(id, name, rule, decide, compares, ...) LOOPS_##compares(id)
DRB_SCHEMES(X)
#undef X

// By form, without and with marks.
#define BOTH(name)     {name, name##_marks}
#define TABLE_NONE(id) {BOTH(decide_##id##_none), BOTH(decide_##id##_none), BOTH(decide_##id##_none),    \
			BOTH(decide_##id##_none)}
#define TABLE_TWO(id)  {BOTH(decide_##id##_none), BOTH(decide_##id##_queued), BOTH(decide_##id##_any),   \
			BOTH(decide_##id##_rings)}
#define TABLE_ALL(id)  {BOTH(decide_##id##_any), BOTH(decide_##id##_queued), BOTH(decide_##id##_any),    \
			BOTH(decide_##id##_rings)}
static decide_loop *const loops[DRB_SCHEME_COUNT][LOADS_FORMS][2] = {
#define X(id, name, rule, decide, compares, ...) [DRB_SCHEME_##id] = TABLE_##compares(id),
	DRB_SCHEMES(X)
#undef X
};
// clang-format on

static enum loads_form form_of(const struct drb_worker *w, const struct drb_burst *b, bool fits)
{
	if (b->unloaded)
		return LOADS_NONE;
	if (fits && likely(!b->recorded) && w->pairs)
		return LOADS_QUEUED;
	return w->rings ? LOADS_RINGS : LOADS_ANY;
}

// True if a packet of the burst may leave with a mark: this switch writes some, or it came with one.
static bool has_marks(const struct drb_worker *w, const struct drb_burst *b)
{
	const struct drb_scheme_state *s = &w->scheme_state;
	uint8_t marks = 0;

	if (s->spread.distance)
		return true;
	// What comes from above goes down; plain traffic of hosts has none.
	if (b->in >= w->down_ports ||
	    (b->classifier->mask[DRB_MARK_AT] & DRB_MARK_MASK) == DRB_MARK_MASK)
		return false;
	for (uint32_t i = 0; i < b->count; i++)
		marks |= rte_pktmbuf_mtod(b->packets[i], const uint8_t *)[DRB_MARK_AT] ^
			 s->mac_octet;
	return marks & DRB_MARK_MASK;
}

static decide_loop *loop_of(const struct drb_worker *w, struct drb_burst *b, bool fits)
{
	enum loads_form form = form_of(w, b, fits);
	// A single uplink leaves no choice.
	enum drb_scheme scheme = w->choice.uplinks < 2 ? DRB_SCHEME_DMODK : w->choice.scheme;
	bool marks = scheme == DRB_SCHEME_WALK && has_marks(w, b);

	if (form == LOADS_NONE)
		scheme = drb_scheme_table[scheme].unloaded;
	// While nothing is spread, nor delayed, all go by their defaults: who wanted which uplink is
	// what will be in the queues, all of which are empty and have room.
	if (scheme == DRB_SCHEME_WALK && form == LOADS_NONE && fits && !marks) {
		b->counts_queues = true;
		scheme = DRB_SCHEME_DMODK;
	}
	return loops[scheme][form][marks];
}

void drb_decide_burst(struct drb_worker *w, struct drb_burst *b, bool fits)
{
	if (unlikely(b->count == 0))
		return; // all are on a detour
	b->recorded = drb_sample_burst(w);
	b->unloaded = drb_uplinks_are_unloaded(w);
	loop_of(w, b, fits)(w, b);
}
