// SPDX-License-Identifier: BSD-3-Clause
// Packet unit: decides where each packet of a burst goes. One loop is compiled for each scheme and
// for each form of the uplinks' loads.
#include "switch/datapath/decide/decide_burst.h"

#include <rte_mbuf.h>

#include "core/routing/decide.h"
#include "core/schemes/all.h"

#include "switch/datapath/decide/difference_sample.h"

// Form of the uplinks' loads while a burst is decided.
enum loads_form {
	LOADS_NONE, // no uplink has a load, nor gets one by this burst
	// All packets will be queued, and the decision compares no more than two choices.
	LOADS_QUEUED,
	LOADS_ANY,
	LOADS_RINGS, // any loads, some of them in rings (ring_load.h)
	LOADS_FORMS
};

// Replaces the scheme where it has nothing to choose.
static inline uint32_t take_default(const struct drb_decider *s, struct drb_loads loads,
				    struct drb_decision *d)
{
	(void)s, (void)loads;
	return d->def;
}

static const struct drb_scheme_ops by_default = {.compares = DRB_COMPARES_NONE,
						 .draw = DRB_DRAW_NONE,
						 .unloaded = DRB_DRAW_NONE,
						 .choose = take_default};

// Parameters of a loop, constants in each.
struct loop_variant {
	const struct drb_scheme_ops *ops; // NULL: the worker's, of a loaded scheme
	enum loads_form form;
	bool marks; // packets may come or leave with a mark of the scheme
};

// A queued packet adds to the load of its uplink if it has to wait there.
struct burst_loads {
	struct drb_loads loads; // empty, or points to load
	uint32_t load[DRB_UPLINKS_MAX];
	uint32_t wait[DRB_UPLINKS_MAX]; // what a packet adds: 1 where it waits, else 0
	uint32_t room[DRB_UPLINKS_MAX]; // packets that queues still take; not set for LOADS_QUEUED
};

static inline __attribute__((always_inline)) void open_loads(const struct drb_shared_load *other,
							     const struct drb_egress_set *e,
							     enum loads_form form,
							     struct burst_loads *l)
{
	l->loads = (struct drb_loads){0};
	if (form == LOADS_NONE)
		return;
	drb_shared_load_sum(other, e, l->load);
	const uint32_t waiting = drb_waiting_uplinks(e);
	for (uint32_t u = 0; u < e->up_ports; u++) {
		l->wait[u] = waiting >> u & 1;
		if (form != LOADS_QUEUED)
			l->room[u] = drb_egress_room(&e->queue[e->down_ports + u]);
	}
	l->loads.at = l->load; // after the call, so that the compiler knows the pointer
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

// Returns the decider of the burst, as a copy. With the worker's own, the compiler must assume that
// each write into a frame changes it.
static inline __attribute__((always_inline)) struct drb_decider decider_of(
	const struct drb_decide_state *s, const struct loop_variant v)
{
	struct drb_choice choice = s->choice;

	if (v.ops)
		choice.ops = v.ops;
	if (v.form < LOADS_ANY)
		choice.choices = 2;
	struct drb_decider d = drb_scheme_state_decider(&s->scheme_state, &choice);
	if (!v.marks)
		d.mark = 0; // it is 0: this tells the compiler
	if (v.ops != &by_default && choice.uplinks < 2)
		__builtin_unreachable(); // see loop_of()
	if (choice.margin == 0)
		__builtin_unreachable(); // see drb_margin(): without loads, defaults stay
	return d;
}

// The random draw that the loop makes for a packet.
static inline __attribute__((always_inline)) enum drb_draw draw_of(const struct drb_choice *c,
								   enum loads_form form)
{
	return form == LOADS_NONE ? c->ops->unloaded : drb_draw_of(c);
}

// The other end empties a ring one burst at a time. Successive packets to one host would not wait
// less in two rings than in one, but they would arrive in another order. They stay on one uplink,
// unless the scheme takes turns in any case.
struct train {
	bool made;         // packets stay together; a constant at every call
	uint32_t dest, up; // of the last packet
};

// *up: the uplink that the scheme chose. If this packet goes to the same host as the packet before,
// *up becomes the uplink of the packet before, and the result is true.
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

static inline __attribute__((always_inline)) uint32_t uplink_of(const struct drb_guarded *g,
								const struct loop_variant v,
								const struct drb_decider *s,
								struct drb_loads loads,
								struct drb_decision *d)
{
	return v.ops ? drb_decide_by(v.ops, s, loads, d) : drb_guarded_choose(g, s, loads, d);
}

// The loop: classifies each packet, and has the scheme choose the uplink of each that goes up.
static inline __attribute__((always_inline)) void decide(struct drb_decide_state *s,
							 const struct drb_egress_set *e,
							 struct drb_burst *b,
							 const struct loop_variant v)
{
	const struct drb_classifier classifier = *b->classifier;
	struct drb_scheme_state state = s->scheme_state; // a copy, as in decider_of()
	const struct drb_decider decider = decider_of(s, v);
	const struct drb_scheme_ops *ops = v.ops ? v.ops : decider.choice.ops;
	const enum drb_draw draw = draw_of(&decider.choice, v.form);
	const uint32_t per_number = drb_draws_per_number(draw, decider.choice.uplinks);
	struct rte_mbuf **const packets = b->packets;
	const uint32_t count = b->count;
	// Compare sizes with the last packet's. With the first packet's, the compiler would load
	// each packet's pointer twice.
	uint32_t size = packets[count - 1]->pkt_len, mixed = 0, redirected = 0, walked = 0;
	struct train train = {v.form == LOADS_RINGS && !(ops->needs & DRB_TAKES_TURNS), UINT32_MAX,
			      0};
	struct burst_loads l;

	state.octets &= v.form != LOADS_NONE; // a link with a rate is never without load
	open_loads(&s->shared_load, e, v.form, &l);
	for (uint32_t i = 0, end; i < count; i = end) {
		uint64_t number = per_number == UINT32_MAX ? 0 : drb_rng_next(&s->rng);
		end = count - i > per_number ? i + per_number : count;
		for (uint32_t k = i; k < end; k++) {
			struct rte_mbuf *m = packets[k];
			uint32_t class = drb_classify(&classifier, m);
			mixed |= m->pkt_len ^ size;
			if (class >= DRB_CLASS_UP) {
				struct drb_decision d =
					drb_scheme_state_decision(&state, ops, v.marks, m);
				d.def = class - DRB_CLASS_UP;
				const uint8_t came = d.mark;
				d.draw = drb_draw_next(draw, decider.choice.uplinks, &number);
				uint32_t up = uplink_of(&s->guarded, v, &decider, l.loads, &d);
				const bool follows = follow(&train, d.dest, &up);
				redirected += up != d.def;
				walked += d.walks;
				if (v.form >= LOADS_ANY && unlikely(b->recorded) && !d.walks &&
				    !follows)
					drb_sample_difference(s, &decider.choice, l.load, &d);
				if (v.marks && d.mark != came)
					rte_pktmbuf_mtod(m, uint8_t *)[DRB_MARK_AT] =
						state.mac_octet ^ d.mark;
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

// A loop, for one variant.
typedef void decide_loop(struct drb_decide_state *s, const struct drb_egress_set *e,
			 struct drb_burst *b);

// Loops of a scheme that compares no loads, or marks no packets, are equal; the compiler merges
// them.
// clang-format off
#define LOOP_BY(loop, ops, form, with_marks)                                                       \
	static void loop(struct drb_decide_state *s, const struct drb_egress_set *e,               \
			 struct drb_burst *b)                                                      \
	{                                                                                          \
		decide(s, e, b, (struct loop_variant){ops, form, with_marks});                     \
	}
#define LOOP(loop, of, form, with_marks)                                                           \
	LOOP_BY(loop, &(of), (of).compares == DRB_COMPARES_NONE ? LOADS_NONE : (form),             \
		(with_marks) && (of).mark_bits > 0)
#define LOOPS(id, name) LOOPS_OF(LOOP, name, drb_scheme_##name)
#define LOOPS_OF(LOOP, name, of)                                                                   \
	LOOP(name##_none, of, LOADS_NONE, false)                                                   \
	LOOP(name##_queued, of, LOADS_QUEUED, false)                                               \
	LOOP(name##_any, of, LOADS_ANY, false)                                                     \
	LOOP(name##_rings, of, LOADS_RINGS, false)                                                 \
	LOOP(name##_none_marks, of, LOADS_NONE, true)                                              \
	LOOP(name##_queued_marks, of, LOADS_QUEUED, true)                                          \
	LOOP(name##_any_marks, of, LOADS_ANY, true)                                                \
	LOOP(name##_rings_marks, of, LOADS_RINGS, true)
DRB_SCHEMES(LOOPS)
LOOPS_OF(LOOP_BY, outside, NULL)
LOOP(decide_by_default, by_default, LOADS_NONE, false)

// Loops by scheme and form, without and with marks.
static decide_loop *const loops[DRB_SCHEME_COUNT + 1][LOADS_FORMS][2] = {
#define FORMS(name) {{name##_none, name##_none_marks}, {name##_queued, name##_queued_marks},       \
	{name##_any, name##_any_marks}, {name##_rings, name##_rings_marks}}
#define X(id, name) [DRB_SCHEME_##id] = FORMS(name),
	DRB_SCHEMES(X)
#undef X
	[DRB_SCHEME_COUNT] = FORMS(outside),
};
// clang-format on

static enum loads_form form_of(bool pairs, bool rings, const struct drb_burst *b, bool fits)
{
	if (b->unloaded)
		return LOADS_NONE;
	if (fits && likely(!b->recorded) && pairs)
		return LOADS_QUEUED;
	return rings ? LOADS_RINGS : LOADS_ANY;
}

// True if a packet of the burst may be sent up with a mark: this switch writes some, or it came
// with one.
static bool has_marks(const struct drb_scheme_state *s, const struct drb_burst *b)
{
	return b->marked || (s->ops->own_mark && s->ops->own_mark(s->state));
}

static decide_loop *loop_of(const struct drb_decide_state *s, bool rings, struct drb_burst *b,
			    bool fits)
{
	const struct drb_scheme_ops *ops = s->choice.ops;
	enum loads_form form = form_of(s->pairs, rings, b, fits);

	if (s->choice.uplinks < 2)
		return decide_by_default;
	const bool marks = ops->mark_bits && has_marks(&s->scheme_state, b);
	// While no packet is marked or delayed, all take their defaults. The queues are empty now.
	// Once the burst is queued, their lengths are the demand for each uplink, and the scheme
	// counts them.
	if (ops->count && form == LOADS_NONE && fits && !marks) {
		b->counts_queues = true;
		return decide_by_default;
	}
	return loops[s->scheme][form][marks];
}

void drb_decide_burst(struct drb_decide_state *s, const struct drb_egress_set *e,
		      struct drb_burst *b, bool fits)
{
	if (unlikely(b->count == 0))
		return; // all are on a detour
	b->recorded = drb_sample_burst(s);
	b->unloaded = drb_uplinks_are_unloaded(s, e);
	loop_of(s, e->rings, b, fits)(s, e, b);
}
