// SPDX-License-Identifier: BSD-3-Clause
// The packet model against a second one written for simplicity. With the same draws both must agree
// packet by packet. With its own draws, and one random order over all arrivals of a slot, they must
// agree on average.
#include "fixtures/packet_run.h"

#include "fixtures/packet_model.h"
#include "fixtures/reordering.h"
#include "sim/models/links.h"

static struct drb_packet_setup setup_of(uint32_t arity, enum drb_scheme scheme, const char *traffic)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .threshold = 1,
				     .rho = 0.8,
				     .slots = 150,
				     .stats = 60,
				     .detail = true,
				     .seed = 11,
				     .memory = UINT64_C(64) << 20};

	assert_int_equal(drb_tree_init(&s.tree, LAYERS, arity), 0);
	assert_int_equal(drb_traffic_parse(traffic, &s.traffic), 0);
	return s;
}

static struct drb_reordering naive_order(const struct naive *n)
{
	struct drb_reordering r = {0};
	struct model_arrival *stream = calloc(n->delivered, sizeof(*stream));

	for (uint32_t pair = 0; pair < n->t.hosts * n->t.hosts; pair++) {
		uint32_t count = 0;
		for (uint64_t i = 0; i < n->delivered; i++) {
			const struct packet *p = &n->list[i].packet;
			if (p->src * n->t.hosts + p->dst == pair)
				stream[count++] = (struct model_arrival){p->birth, n->list[i].at};
		}
		model_reordering_add(&r, stream, count);
	}
	free(stream);
	return r;
}

// The shortest latency that this share of all packets does not exceed.
static double naive_quantile(const struct naive *n, double share)
{
	for (uint32_t latency = 0;; latency++) {
		uint64_t within = 0;
		for (uint64_t i = 0; i < n->delivered; i++)
			within += n->list[i].at - n->list[i].packet.birth <= latency;
		if ((double)within >= share * (double)n->delivered - 1e-6)
			return latency;
	}
}

static void same_use(struct naive *n, const struct drb_packet_detail *d, uint32_t m, bool up)
{
	uint32_t switches = drb_tree_switches(&n->t, m), sum = 0, most = 0;
	uint32_t ports = up ? drb_tree_up_ports(&n->t, m) : drb_tree_down_ports(&n->t, m);
	const struct drb_link_use *use = up ? &d->up[m] : &d->down[m];

	for (uint32_t i = 0; i < switches * ports; i++) {
		uint32_t c = n->carried[queue_at(n, m, i / ports, up, i % ports) - n->queue];
		sum += c;
		most = c > most ? c : most;
	}
	double links = switches * ports, slots = n->setup.stats;
	assert_true(fabs(use->mean - (links > 0 ? sum / links / slots : 0)) < 1e-12);
	assert_true(use->max == most / slots);
}

static void same_detail(struct naive *n, const struct drb_packet_detail *d)
{
	struct drb_reordering order = naive_order(n);

	assert_memory_equal(&d->order, &order, sizeof(order));
	assert_int_equal(d->latency.samples, n->delivered);
	assert_true(d->latency.p50 == naive_quantile(n, 0.5));
	assert_true(d->latency.p99 == naive_quantile(n, 0.99));
	assert_true(d->latency.p999 == naive_quantile(n, 0.999));
	assert_true(d->latency.max == naive_quantile(n, 1));
	for (uint32_t m = 1; m <= LAYERS; m++) {
		same_use(n, d, m, true);
		same_use(n, d, m, false);
	}
}

// Runs and compares both models; returns the simulator's result.
static struct drb_packet_result both_do_the_same(const struct drb_packet_setup *s)
{
	struct naive *n = naive_new(s);
	struct drb_packet_result r = run_packets(s);
	uint64_t in_switches = 0;

	for (uint32_t now = 0; now <= r.slots; now++) {
		// In the last slot of the simulator, switches only send.
		in_switches = n->lost_in_switches;
		slot(n, now);
	}
	assert_true(n->delivered > 0);
	assert_true(r.latency == (double)n->latency / (double)n->delivered);
	assert_true(r.default_path == (double)n->kept / (double)n->climbed);
	same_detail(n, &r.detail);
	assert_int_equal(n->lost_on_links, r.lost_to.on_links);
	assert_int_equal(in_switches, r.lost_to.in_switches);
	naive_free(n);
	return r;
}

TEST(same_draws_give_the_same_packets)
{
	static const char *const traffics[] = {"permutation", "random", "mixed", "fixed",
					       "oneway:0.5:0.2"};
	uint64_t reordered = 0;

	for (size_t i = 0; i < ARRAY_SIZE(traffics) * DRB_SCHEME_COUNT; i++) {
		for (uint32_t arity = 2; arity <= 3; arity++) {
			struct drb_packet_setup s =
				setup_of(arity, (enum drb_scheme)(i % DRB_SCHEME_COUNT),
					 traffics[i / DRB_SCHEME_COUNT]);
			reordered += both_do_the_same(&s).detail.order.reordered;
		}
	}
	assert_true(reordered > 100);
}

// Case i: every scheme in turn, with two kinds of traffic.
static struct drb_packet_setup nth(size_t i, uint32_t arity, double rho)
{
	struct drb_packet_setup s = setup_of(arity, (enum drb_scheme)(i % DRB_SCHEME_COUNT),
					     i % 3 ? "permutation" : "mixed");

	s.rho = rho;
	s.seed += i;
	return s;
}

// Slow links, up and down, some of them overloaded.
TEST(slow_links_are_slow_in_both)
{
	static const struct drb_slow slow[] = {{1, 2}, {4, 3}, {9, 2}, {2, 6}, {16, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(slow) * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup s = nth(i, i % 2 ? 3 : 2, 0.5);
		s.slow = slow[i / DRB_SCHEME_COUNT];
		both_do_the_same(&s);
	}
}

// A packet takes several slots on all links between two layers, and on those down to hosts.
TEST(speeds_of_layers_in_both)
{
	static const struct drb_paces pace[] = {{{0, 0, 2, 1}}, {{0, 2, 1, 1}}, {{0, 2, 1, 3}},
						{{0, 3, 2, 1}}, {{0, 1, 1, 2}}, {{0, 1, 2, 4}}};

	for (size_t i = 0; i < ARRAY_SIZE(pace) * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup s = nth(i, i % 2 ? 3 : 2, 0.3);
		s.pace = pace[i / DRB_SCHEME_COUNT];
		s.delay = (struct drb_delay){{0, 0, i % 3, 1}, i % 4 == 1};
		if (s.scheme != DRB_SCHEME_ARS) // its model counts time in slots
			both_do_the_same(&s);
	}
}

// Case i: links and switches become gray, slow and sound again, several times.
static uint32_t draw_faults(size_t i, const struct drb_tree *t, struct drb_fault fault[],
			    uint32_t count)
{
	struct drb_rng rng = drb_rng_seed(i, 9);

	for (uint32_t k = 0; k < count; k++) {
		struct drb_fault *f = &fault[k];
		*f = (struct drb_fault){.slot = k * 140 / count,
					.kind = drb_rng_below(&rng, 3) ? DRB_FAULT_GRAY
								       : DRB_FAULT_MEND,
					.what.is_switch = drb_rng_below(&rng, 4) == 0};
		if (f->what.is_switch) {
			f->what.end.layer = 1 + drb_rng_below(&rng, LAYERS);
			f->what.end.label =
				drb_rng_below(&rng, drb_tree_switches(t, f->what.end.layer));
			continue;
		}
		f->what.end = drb_link_numbered(t, drb_rng_below(&rng, 6));
		if (drb_rng_below(&rng, 3) == 0)
			f->kind = DRB_FAULT_SLOW;
		f->pace = 1 + drb_rng_below(&rng, 4);
	}
	return count;
}

TEST(faults_in_both)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < 3 * DRB_SCHEME_COUNT; i++) {
		struct drb_fault fault[24];
		struct drb_packet_setup s = nth(i, i % 2 ? 3 : 2, 0.5);
		s.delay = (struct drb_delay){.link = {0, 0, i % 3, 2}};
		s.slow = (struct drb_slow){.links = i % 4 == 0 ? 2 : 0, .slots = 2};
		s.faults.fault = fault;
		s.faults.count = draw_faults(i, &s.tree, fault, ARRAY_SIZE(fault));
		lost += both_do_the_same(&s).lost_to.on_links;
	}
	assert_true(lost > 1000);
}

// Links with delays by layer, and switches with delayed knowledge of queues, together with slow
// links.
TEST(delays_in_both)
{
	static const struct drb_delay delay[] = {{{0, 0, 0, 3}, 0}, {{0, 3, 3, 3}, 0},
						 {{0, 0, 0, 0}, 1}, {{0, 0, 0, 0}, 5},
						 {{0, 2, 0, 1}, 3}, {{0, 1, 2, 3}, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(delay) * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup s = nth(i, i % 2 ? 3 : 2, 0.6);
		s.delay = delay[i / DRB_SCHEME_COUNT];
		s.slow = (struct drb_slow){.links = i % 4 == 0 ? 2 : 0, .slots = 2};
		both_do_the_same(&s);
	}
}

// Fewer uplinks in layer 1, in numbers that divide d and that do not; the last cases are
// overloaded.
TEST(fewer_uplinks_in_both)
{
	static const uint32_t uplinks[][2] = {{2, 1}, {3, 1}, {3, 2}, {4, 2}};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(uplinks) * DRB_SCHEME_COUNT; i++) {
		const uint32_t *tree = uplinks[i / DRB_SCHEME_COUNT % ARRAY_SIZE(uplinks)];
		struct drb_packet_setup s =
			nth(i, tree[0], i < ARRAY_SIZE(uplinks) * DRB_SCHEME_COUNT ? 0.3 : 0.5);
		assert_int_equal(drb_tree_init_uplinks(&s.tree, LAYERS, tree[0], tree[1]), 0);
		s.slow = (struct drb_slow){.links = i % 5 == 0 ? 3 : 0, .slots = 2};
		both_do_the_same(&s);
	}
}

// A slot in which the arrivals at all switches are decided in one random order.
static void slot_in_one_order(struct naive *n, struct drb_rng *rng, uint32_t now)
{
	move_links(n, now);
	listen(n, now);
	for (uint32_t i = n->arrivals; i > 0; i--) {
		uint32_t k = drb_rng_below(rng, i);
		decide(n, &n->arrival[k], now);
		n->arrival[k] = n->arrival[i - 1];
	}
	send(n, now);
}

// Only the order within a switch matters: one order over all arrivals gives the same averages.
TEST(one_order_over_all_agrees_on_average)
{
	static const enum drb_scheme compared[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO};

	for (size_t i = 0; i < ARRAY_SIZE(compared); i++) {
		struct drb_packet_setup s = setup_of(3, compared[i], "permutation");
		s.slots = 3000;
		s.stats = 2900;
		struct naive *n = naive_new(&s);
		struct drb_rng rng = drb_rng_seed(99, 1);
		struct drb_packet_result r = run_packets(&s);
		for (uint32_t now = 0; now <= r.slots + 50; now++)
			slot_in_one_order(n, &rng, now);
		double latency = (double)n->latency / (double)n->delivered;
		assert_true(fabs(latency / r.latency - 1) < 0.02);
		naive_free(n);
	}
}

TEST_MAIN(NULL, NULL)
