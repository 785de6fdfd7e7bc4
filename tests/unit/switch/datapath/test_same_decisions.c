// SPDX-License-Identifier: BSD-3-Clause
// The simulator's packet model and the switch's forwarding path make identical decisions. They get
// the same arrivals, queues, marks, times and random numbers, for every scheme, layer by layer.
#include "fixtures/unit.h"

#include "sim/models/packet_decide.h"
#include "switch/datapath/forward.h"
#include "fixtures/switch_eal.h"
#include "fixtures/walk_state.h"

#define SLOT_NS (1 << 20) // whole ticks of the switch
#define SLOTS 60
#define RATE "953.67431640625pps" // a packet in each of these slots
#define BEFORE (4096 * 3)         // slots of the switch's clock
#define QUEUE 400

static struct drb_worker w;
static uint32_t spread_decisions; // by walk

// Each scheme three times: the second time with candidates that it compares in an array, the third
// time like an external scheme.
static const struct rule {
	enum drb_scheme scheme;
	const char *keys;
	bool outside;
} rules[] = {
#define X(id, name, ...)                                                                           \
	{DRB_SCHEME_##id, "scheme: " #name ", threshold: 1.5", false},                             \
		{DRB_SCHEME_##id, "scheme: " #name ", threshold: 0, choices: 3", false},           \
		{DRB_SCHEME_##id, "scheme: " #name ", threshold: 1", true},
	DRB_SCHEMES(X)
#undef X
};

struct stage {
	struct drb_setup setup; // of the switch
	struct drb_packet_setup model;
	struct drb_packet_sim *sim;
	struct drb_layer *layer; // of the model, with the switch
	uint32_t label, destinations;
	struct drb_choice choice;
	struct drb_hop hop;
	struct drb_rng rng; // of arrivals
};

// One packet per slot, as in the model, and the same beginning.
static void begin_time(const struct stage *s)
{
	uint32_t ticks = SLOT_NS >> w.decide.scheme_state.tick_shift;
	const struct drb_scheme_setup each = {.tree = &s->setup.tree,
					      .layer = s->layer->layer,
					      .choice = &s->choice,
					      .packet_time = ticks,
					      .rate = 1.0 / ticks};

	s->choice.ops->init(w.decide.scheme_state.state, &each);
	if (s->model.scheme == DRB_SCHEME_WALK)
		spread_of(w.decide.scheme_state.state)->began = BEFORE * ticks;
}

static void begin(struct stage *s, const char *fabric, uint32_t layer, uint32_t label,
		  const struct rule *rule)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "fabric: {%s}\nswitch: {layer: %u, label: %u}\n"
		 "link: {driver: none, rate: " RATE ", queue: %d}\n"
		 "routing: {seed: 9, %s}\n",
		 fabric, layer, label, QUEUE, rule->keys);
	s->setup = setup_of(text);
	if (rule->outside)
		s->setup.scheme.like = DRB_SCHEME_COUNT;
	assert_int_equal(drb_worker_init(&w, &s->setup), 0);
	for (uint32_t i = 0; i < w.egress.ports; i++)
		drb_worker_attach(&w, i, QUEUE, NULL);
	s->model = (struct drb_packet_setup){.tree = s->setup.tree,
					     .scheme = rule->scheme,
					     .choices = s->setup.choice.choices,
					     .threshold = s->setup.threshold,
					     .rho = 0.5,
					     .slots = 2 * SLOTS,
					     .stats = 1,
					     .seed = 9,
					     .memory = UINT64_C(64) << 20};
	assert_int_equal(drb_packet_new(&s->sim, &s->model), 0);
	s->layer = &s->sim->fabric.layer[layer];
	s->label = label;
	s->hop = drb_hop_at(&s->model.tree, layer, label);
	s->choice = sim_choice(s->sim, s->layer);
	s->choice.salt = drb_salt(9, layer, label);
	s->rng = drb_rng_seed(layer, label);
	if (s->choice.ops->tick)
		begin_time(s);
	// Some destinations recur often, others hardly ever.
	s->destinations = 1 + drb_rng_below(&s->rng, s->model.tree.hosts);
}

static void end(struct stage *s)
{
	drb_packet_free(s->sim);
	drb_worker_free(&w);
	assert_int_equal(rte_mempool_avail_count(test_pool), MBUFS);
}

// Sets the queues of both to the same lengths; the switch's packets are copies of one.
static void set_queues(struct stage *s, struct rte_mbuf *any)
{
	uint32_t most = 1 + drb_rng_below(&s->rng, 12);

	for (uint32_t u = 0; u < s->layer->up; u++) {
		struct drb_egress *q = &w.egress.queue[w.egress.down_ports + u];
		uint32_t want = drb_rng_below(&s->rng, most), have = drb_egress_length(q);
		for (; have > want; have--) {
			rte_pktmbuf_free(q->packet[drb_egress_ring_index(q, 0)]);
			drb_egress_pop(q, 1, any->pkt_len, w.egress.now_ns);
		}
		for (; have < want; have++) {
			rte_mbuf_refcnt_update(any, 1);
			assert_true(drb_egress_push(q, any, any->pkt_len, w.egress.now_ns));
		}
		w.egress.queued += want - w.egress.occupancy[w.egress.down_ports + u];
		w.egress.occupancy[w.egress.down_ports + u] = want;
		s->layer->len[s->label * (s->layer->up + s->layer->down) + u] = want;
	}
}

// The draw of the switch's next decision.
static uint64_t draw_to_come(void)
{
	struct drb_rng rng = w.decide.rng;
	uint64_t number = drb_rng_next(&rng);

	return drb_draw_next(drb_draw_of(&w.decide.choice), w.decide.choice.uplinks, &number);
}

// One packet that goes up: returns the switch's uplink, and *mark as it leaves.
static uint32_t switch_decides(uint32_t in, const uint8_t *frame, uint32_t len, uint8_t *mark)
{
	uint32_t before[DRB_PORTS_MAX], out = UINT32_MAX;
	struct rte_mbuf *m = mbuf_of(frame, len);

	assert_non_null(m);
	memcpy(before, w.egress.occupancy, sizeof(before));
	drb_forward_burst(&w, in, &m, 1);
	for (uint32_t u = 0; u < w.egress.up_ports; u++) {
		if (w.egress.occupancy[w.egress.down_ports + u] != before[w.egress.down_ports + u])
			out = u;
	}
	assert_int_not_equal(out, UINT32_MAX);
	*mark = rte_pktmbuf_mtod(m, const uint8_t *)[DRB_MARK_AT];
	return out;
}

static void one_packet(struct stage *s)
{
	uint32_t in = drb_rng_below(&s->rng, w.egress.down_ports), dest;
	bool walk = s->model.scheme == DRB_SCHEME_WALK;
	uint8_t frame[60], mark = 0, left;

	if (walk && s->layer->layer > 1)
		mark = (uint8_t)drb_rng_below(&s->rng, DRB_SPREAD_FAR + 1);
	do
		dest = drb_rng_below(&s->rng, s->destinations);
	while (drb_hop_below(&s->hop, dest) && s->destinations > s->hop.span);
	if (drb_hop_below(&s->hop, dest))
		dest = (s->hop.first + s->hop.span) % s->model.tree.hosts;
	make_frame(frame, sizeof(frame), s->layer->layer == 1 ? s->hop.first + in : 0, dest);
	frame[DRB_MARK_AT] = mark;
	struct drb_flow_key key;
	drb_flow_key_of(frame, sizeof(frame), &key);
	uint64_t word = sim_marked(s->sim, dest, mark);
	const uint32_t *load = s->layer->len + s->label * (s->layer->up + s->layer->down);
	void *state = sim_state(s->sim, s->layer->layer, s->label);
	if (s->choice.ops->tick)
		s->choice.ops->tick(state, s->sim->slot, 0);
	const struct drb_decider decider = sim_decider(s->sim, s->layer, s->label, &s->choice);
	struct drb_decision d = sim_decision(s->sim, &s->hop, word, draw_to_come());
	d.flow = drb_flow_hash(&key);
	uint32_t sim = drb_decide_uplink(&decider, (struct drb_loads){.at = load}, &d);
	assert_int_equal(switch_decides(in, frame, sizeof(frame), &left), sim);
	if (walk) {
		assert_int_equal(left, d.mark);
		assert_int_equal(spread_of(state)->distance,
				 spread_of(w.decide.scheme_state.state)->distance);
		spread_decisions += spread_of(state)->distance > 0;
	}
	s->layer->len[s->label * (s->layer->up + s->layer->down) + sim]++;
}

// Both hear the same marks from above.
static void hear(struct stage *s)
{
	uint8_t mark = (uint8_t)drb_rng_below(&s->rng, DRB_SPREAD_FAR + 1);

	for (uint32_t i = 0; i < DRB_SPREAD_HEAR * s->layer->up; i++) {
		drb_spread_hear(spread_of(sim_state(s->sim, s->layer->layer, s->label)), mark);
		drb_spread_hear(spread_of(w.decide.scheme_state.state), mark);
	}
}

static void same_all_along(const char *fabric, uint32_t layer, uint32_t label,
			   const struct rule *rule)
{
	struct stage s;
	uint8_t frame[60];

	begin(&s, fabric, layer, label, rule);
	make_frame(frame, sizeof(frame), 0, 1);
	struct rte_mbuf *any = mbuf_of(frame, sizeof(frame));
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		s.sim->slot = slot;
		w.egress.now_ns = (uint64_t)(BEFORE + slot) * SLOT_NS;
		w.egress.open = drb_rng_below(&s.rng, 2); // either of the switch's two loops
		set_queues(&s, any);
		if (s.model.scheme == DRB_SCHEME_WALK && drb_rng_below(&s.rng, 4) == 0)
			hear(&s);
		for (uint32_t n = drb_rng_below(&s.rng, 2 * w.egress.down_ports); n > 0; n--)
			one_packet(&s);
		if (drb_rng_below(&s.rng, 4) == 0)
			slot += drb_rng_below(&s.rng, 12);
	}
	drb_worker_free(&w);
	rte_pktmbuf_free(any);
	end(&s);
}

static void same_decisions(void **state)
{
	static const struct {
		const char *text;
		uint32_t layers, switches;
	} fabrics[] = {
		{"layers: 3, arity: 2", 3, 8},
		{"layers: 3, arity: 4", 3, 32},
		{"layers: 4, arity: 2", 4, 16},
		{"layers: 2, arity: 12", 2, 24}, // more loads than fit in a register
		{"layers: 2, arity: 32", 2, 64}, // 64 ports
	};
	const struct rule *rule = *state;
	const bool walk = rule->scheme == DRB_SCHEME_WALK;
	const size_t count = ARRAY_SIZE(fabrics) - walk;

	spread_decisions = 0;
	for (size_t f = 0; f < count; f++)
		for (uint32_t layer = 1; layer < fabrics[f].layers; layer++)
			for (uint32_t label = 0; label < fabrics[f].switches; label += 3)
				same_all_along(fabrics[f].text, layer, label, rule);
	if (walk)
		assert_true(spread_decisions > 100);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(rules)];

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		tests[i] = (struct CMUnitTest){.name = rules[i].keys,
					       .test_func = same_decisions,
					       .initial_state = (void *)(uintptr_t)&rules[i]};
	return cmocka_run_group_tests_name("same_decisions", tests, setup_eal, free_eal);
}
