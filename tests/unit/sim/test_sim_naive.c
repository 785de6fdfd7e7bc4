// SPDX-License-Identifier: BSD-3-Clause
// The packet model against a second one written for plainness: lists of packets, one phase after
// the other, wiring by drb_tree_*. Given the same draws both must agree packet by packet; with its
// own draws and one random order over all arrivals of a slot, on average.
#include "fixtures/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/next_hop.h"
#include "core/routing/decide.h"
#include "core/routing/rotate.h"
#include "core/routing/rounds.h"

#include "sim/models/packet.h"

#define LAYERS 3
#define QUEUE_MAX 1200

struct packet {
	uint32_t src, dst, birth;
	uint8_t mark;
};

struct queue {
	struct packet packet[QUEUE_MAX];
	uint32_t len;
};

struct arrival {
	struct packet packet;
	struct drb_end at; // where it comes in
	double key;        // for sorting
};

struct naive {
	struct drb_packet_setup setup;
	struct drb_tree t;
	struct drb_choice choice;
	struct queue *queue; // [layer][switch][port]: up-ports first, then down-ports
	struct queue *host;  // births that cross the host link in the next slot
	struct arrival *arrival;
	uint32_t arrivals;
	struct drb_spread *spread[LAYERS]; // [layer]
	uint64_t *spread_memory[LAYERS];
	drb_round *round[LAYERS]; // [layer]
	struct drb_rng traffic_rng, rng;
	struct drb_traffic traffic;
	uint32_t *memory, *dest;
	bool own_order;              // one order over all switches
	uint64_t delivered, latency; // of packets born in the measured slots
};

static struct queue *queue_at(struct naive *n, uint32_t m, uint32_t s, bool up, uint32_t port)
{
	uint32_t ports = 3 * n->t.arity;
	uint32_t first = ((m - 1) * drb_tree_switches(&n->t, 1) + s) * ports;

	return &n->queue[first + (up ? port : n->t.arity + port)];
}

static struct packet pop(struct queue *q)
{
	struct packet p = q->packet[0];

	q->len--;
	memmove(q->packet, q->packet + 1, q->len * sizeof(p));
	return p;
}

static void push(struct queue *q, struct packet p)
{
	assert_true(q->len < QUEUE_MAX);
	q->packet[q->len++] = p;
}

static void arrive(struct naive *n, struct packet p, struct drb_end at)
{
	n->arrival[n->arrivals++] = (struct arrival){.packet = p, .at = at};
}

static void move_links(struct naive *n, uint32_t now)
{
	n->arrivals = 0;
	for (uint32_t h = 0; h < n->t.hosts; h++) {
		if (n->host[h].len)
			arrive(n, pop(&n->host[h]), drb_tree_host_peer(&n->t, h));
	}
	for (uint32_t m = 1; m <= LAYERS; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(&n->t, m); s++) {
			for (uint32_t u = 0; u < drb_tree_up_ports(&n->t, m); u++) {
				struct queue *q = queue_at(n, m, s, true, u);
				if (q->len)
					arrive(n, pop(q), drb_tree_up_peer(&n->t, m, s, u));
			}
			for (uint32_t p = 0; p < drb_tree_down_ports(&n->t, m); p++) {
				struct queue *q = queue_at(n, m, s, false, p);
				struct drb_end end = drb_tree_down_peer(&n->t, m, s, p);
				if (!q->len)
					continue;
				struct packet packet = pop(q);
				if (m > 1) {
					arrive(n, packet, end);
					continue;
				}
				assert_int_equal(packet.dst, end.label);
				if (packet.birth < n->setup.slots - n->setup.stats ||
				    packet.birth >= n->setup.slots)
					continue;
				n->delivered++;
				n->latency += now - packet.birth;
			}
		}
	}
}

static uint32_t uplink(struct naive *n, struct drb_end at, struct packet *p, const uint32_t *load,
		       uint32_t now)
{
	uint32_t m = at.layer, def = drb_host_digit(&n->t, p->dst, m);
	uint64_t draw = drb_rng_next(&n->rng);

	if (n->choice.scheme == DRB_SCHEME_ROTATE)
		def += drb_shift_digit(&n->t, now % drb_shift_count(&n->t), m);
	if (n->choice.scheme == DRB_SCHEME_WALK) {
		struct drb_spread *s = &n->spread[m][at.label];
		drb_spread_count(s, def, 1, 1);
		if (s->distance && (!p->mark || s->distance < p->mark))
			p->mark = s->distance;
	}
	if (p->mark)
		return drb_round_next(&n->round[m][at.label * drb_rounds(&n->t, m) +
						   drb_round_of(&n->t.by[m], p->dst)],
				      n->t.arity, (struct drb_loads){.at = load}, &def);
	return drb_choose(&n->choice, load, def % n->t.arity, 0, draw);
}

static void decide(struct naive *n, const struct arrival *a, uint32_t now)
{
	struct packet p = a->packet;
	uint32_t m = a->at.layer, s = a->at.label, load[64];
	struct drb_hop hop = drb_hop_at(&n->t, m, s);

	if (a->at.up || drb_hop_below(&hop, p.dst)) {
		push(queue_at(n, m, s, false, drb_host_digit(&n->t, p.dst, m)), p);
		return;
	}
	for (uint32_t u = 0; u < n->t.arity; u++)
		load[u] = queue_at(n, m, s, true, u)->len;
	uint32_t u = uplink(n, a->at, &p, load, now);
	push(queue_at(n, m, s, true, u), p);
}

static bool goes_down(struct naive *n, const struct arrival *a)
{
	struct drb_hop hop = drb_hop_at(&n->t, a->at.layer, a->at.label);

	return a->at.up || drb_hop_below(&hop, a->packet.dst);
}

static int by_key(const void *a, const void *b)
{
	double x = ((const struct arrival *)a)->key, y = ((const struct arrival *)b)->key;

	return (x > y) - (x < y);
}

// What switches hear from above before they decide.
static void listen(struct naive *n, uint32_t now)
{
	for (uint32_t i = 0; i < n->arrivals; i++) {
		const struct arrival *a = &n->arrival[i];
		if (a->at.up && a->at.layer < LAYERS)
			drb_spread_hear(&n->spread[a->at.layer][a->at.label], a->packet.mark);
	}
	for (uint32_t m = 1; m < LAYERS; m++)
		for (uint32_t s = 0; s < drb_tree_switches(&n->t, m); s++)
			drb_spread_tick(&n->spread[m][s], now, 0);
}

// The simulator's draws: switch by switch; packets to be sent up, then down; of these first those
// from above; each kind shuffled from the end.
static void decide_like_the_simulator(struct naive *n, uint32_t m, uint32_t s, uint32_t now)
{
	struct arrival up[128], down[128], a;
	uint32_t ups = 0, downs = 0;

	for (int above = 1; above >= 0; above--) {
		for (uint32_t port = 0; port < 2 * n->t.arity; port++) {
			for (uint32_t i = 0; i < n->arrivals; i++) {
				a = n->arrival[i];
				if (a.at.layer != m || a.at.label != s || a.at.up != above ||
				    a.at.port != port)
					continue;
				if (goes_down(n, &a))
					down[downs++] = a;
				else
					up[ups++] = a;
			}
		}
	}
	for (int kind = 0; kind < 2; kind++) {
		struct arrival *list = kind ? down : up;
		for (uint32_t i = kind ? downs : ups; i > 1; i--) {
			uint32_t j = drb_scale32((uint32_t)(drb_rng_next(&n->rng) >> 32), i);
			a = list[j];
			list[j] = list[i - 1];
			list[i - 1] = a;
		}
	}
	for (uint32_t i = 0; i < ups; i++)
		decide(n, &up[i], now);
	for (uint32_t i = 0; i < downs; i++)
		decide(n, &down[i], now);
}

static void slot(struct naive *n, uint32_t now)
{
	move_links(n, now);
	listen(n, now);
	if (n->own_order) {
		for (uint32_t i = 0; i < n->arrivals; i++)
			n->arrival[i].key = drb_rng_unit(&n->rng);
		qsort(n->arrival, n->arrivals, sizeof(*n->arrival), by_key);
		for (uint32_t i = 0; i < n->arrivals; i++)
			decide(n, &n->arrival[i], now);
	} else {
		for (uint32_t m = 1; m <= LAYERS; m++)
			for (uint32_t s = 0; s < drb_tree_switches(&n->t, m); s++)
				decide_like_the_simulator(n, m, s, now);
	}
	drb_traffic_slot(&n->traffic, &n->traffic_rng, now, n->dest);
	for (uint32_t h = 0; h < n->t.hosts; h++) {
		if (n->dest[h] != DRB_NO_LABEL)
			push(&n->host[h], (struct packet){h, n->dest[h], now, 0});
	}
}

static struct naive *naive_new(const struct drb_packet_setup *setup)
{
	struct naive *n = calloc(1, sizeof(*n));
	uint32_t hosts = setup->tree.hosts, switches = drb_tree_switches(&setup->tree, 1);

	n->setup = *setup;
	n->t = setup->tree;
	n->choice = (struct drb_choice){.scheme = setup->scheme,
					.uplinks = n->t.arity,
					.choices = setup->choices,
					.margin = drb_margin(setup->threshold)};
	n->queue = calloc((size_t)LAYERS * switches * 3 * n->t.arity, sizeof(*n->queue));
	n->host = calloc(hosts, sizeof(*n->host));
	n->arrival = calloc((size_t)(2 * LAYERS + 1) * hosts, sizeof(*n->arrival));
	n->memory = calloc(DRB_TRAFFIC_WORDS(hosts), sizeof(uint32_t));
	n->dest = calloc(hosts, sizeof(uint32_t));
	for (uint32_t m = 1; m < LAYERS; m++) {
		uint32_t rounds = drb_rounds(&n->t, m);
		n->round[m] = calloc((size_t)switches * rounds, sizeof(drb_round));
		uint32_t words = DRB_SPREAD_WORDS(n->t.arity);
		n->spread[m] = calloc(switches, sizeof(struct drb_spread));
		n->spread_memory[m] = calloc((size_t)switches * words, sizeof(uint64_t));
		for (uint32_t s = 0; s < switches; s++) {
			drb_spread_init(&n->spread[m][s], &n->t, 1, 1,
					n->spread_memory[m] + (size_t)s * words);
			drb_rounds_init(n->round[m] + (size_t)s * rounds, &n->t, m,
					drb_salt(setup->seed, m, s));
		}
	}
	n->traffic_rng = drb_rng_seed(setup->seed, 0);
	n->rng = drb_rng_seed(setup->seed, 1);
	assert_int_equal(drb_traffic_init(&n->traffic,
					  &(struct drb_traffic_setup){&n->t, setup->traffic,
								      setup->rho, n->memory},
					  &n->traffic_rng),
			 0);
	return n;
}

static void naive_free(struct naive *n)
{
	for (uint32_t m = 1; m < LAYERS; m++) {
		free(n->spread[m]);
		free(n->spread_memory[m]);
		free(n->round[m]);
	}
	free(n->queue);
	free(n->host);
	free(n->arrival);
	free(n->memory);
	free(n->dest);
	free(n);
}

static struct drb_packet_setup setup_of(uint32_t arity, enum drb_scheme scheme, const char *traffic)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .threshold = 1,
				     .rho = 0.8,
				     .slots = 150,
				     .stats = 100,
				     .seed = 11,
				     .memory = UINT64_C(64) << 20};

	assert_int_equal(drb_tree_init(&s.tree, LAYERS, arity), 0);
	assert_int_equal(drb_traffic_parse(traffic, &s.traffic), 0);
	return s;
}

static void same_draws_give_the_same_packets(void **state)
{
	static const char *const traffics[] = {"permutation", "random", "mixed", "fixed"};
	static const enum drb_scheme schemes[] = {
		DRB_SCHEME_DRB,   DRB_SCHEME_DMODK,  DRB_SCHEME_VLB, DRB_SCHEME_MICRO,
		DRB_SCHEME_LEAST, DRB_SCHEME_ROTATE, DRB_SCHEME_WALK};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(traffics) * ARRAY_SIZE(schemes); i++) {
		for (uint32_t arity = 2; arity <= 3; arity++) {
			struct drb_packet_setup s =
				setup_of(arity, schemes[i % ARRAY_SIZE(schemes)],
					 traffics[i / ARRAY_SIZE(schemes)]);
			struct naive *n = naive_new(&s);
			struct drb_packet_sim *sim;
			struct drb_packet_result r;
			assert_int_equal(drb_packet_new(&sim, &s), 0);
			drb_packet_run(sim, &r);
			drb_packet_free(sim);
			for (uint32_t now = 0; now <= r.slots; now++)
				slot(n, now);
			assert_true(n->delivered > 0);
			assert_true(r.latency == (double)n->latency / (double)n->delivered);
			naive_free(n);
		}
	}
}

// Only the order within a switch matters: one order over all arrivals gives the same averages.
static void one_order_over_all_agrees_on_average(void **state)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		struct drb_packet_setup s = setup_of(3, schemes[i], "permutation");
		struct drb_packet_sim *sim;
		struct drb_packet_result r;
		s.slots = 3000;
		s.stats = 2900;
		struct naive *n = naive_new(&s);
		n->own_order = true;
		n->rng = drb_rng_seed(99, 1);
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		drb_packet_run(sim, &r);
		drb_packet_free(sim);
		for (uint32_t now = 0; now <= r.slots + 50; now++)
			slot(n, now);
		double latency = (double)n->latency / (double)n->delivered;
		assert_true(fabs(latency / r.latency - 1) < 0.02);
		naive_free(n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_draws_give_the_same_packets),
		cmocka_unit_test(one_order_over_all_agrees_on_average),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
