// SPDX-License-Identifier: BSD-3-Clause
// Fat-trees with fewer uplinks in layer 1 than d: results of the models where a closed form exists.
#include "fixtures/packet_run.h"

#include "core/fabric/next_hop.h"
#include "core/routing/decide.h"

#include "sim/models/flow.h"
#include "sim/models/links.h"
#include "sim/models/packet.h"

// Layers, arity, uplinks.
static const uint32_t trees[][3] = {{2, 4, 2}, {2, 3, 1}, {3, 4, 2},
				    {3, 4, 1}, {3, 4, 3}, {4, 2, 1}};

// Every host sends to the host half of all hosts further on, which is in another rack and has the
// same h_1.
static struct drb_packet_setup setup_of(const uint32_t tree[3], enum drb_scheme scheme, double rho)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .threshold = 2,
				     .rho = rho,
				     .slots = 6000,
				     .stats = 4000,
				     .seed = 3,
				     .detail = true,
				     .memory = UINT64_C(256) << 20};
	char stride[32];

	assert_int_equal(drb_tree_init_uplinks(&s.tree, tree[0], tree[1], tree[2]), 0);
	snprintf(stride, sizeof(stride), "stride:%u", s.tree.hosts / 2);
	assert_int_equal(drb_traffic_parse(stride, &s.traffic), 0);
	return s;
}

// Mean length, between arrivals and departures, of a queue that sends one packet a slot. In every
// slot each of c hosts sends to it with probability rho.
static double queue_of(uint32_t c, double rho)
{
	return c * rho + c * (c - 1) * rho * rho / (2 * (1 - c * rho));
}

// D-mod-k: each uplink is a separate queue with the packets of those c of d hosts that share it.
// Every link between switches carries d / u times the packets of a link to a host.
TEST(defaults_are_queues_of_their_own)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		uint32_t d = trees[i][1], u = trees[i][2];
		double rho = 0.7 / ((d + u - 1) / u), mean = 0; // the fullest uplink's load: 0.7
		struct drb_packet_setup s = setup_of(trees[i], DRB_SCHEME_DMODK, rho);
		struct drb_packet_result r = run_packets(&s);
		for (uint32_t up = 0; up < u; up++)
			mean += queue_of((d - up + u - 1) / u, rho) / u;
		assert_true(fabs(r.up_mean[1] / mean - 1) < 0.03);
		assert_false(r.growing);
		for (uint32_t m = 1; m < s.tree.layers; m++) {
			assert_true(fabs(r.detail.up[m].mean / (rho * d / u) - 1) < 0.02);
			assert_true(fabs(r.detail.down[m + 1].mean / (rho * d / u) - 1) < 0.02);
		}
		assert_true(fabs(r.detail.down[1].mean / rho - 1) < 0.02);
	}
}

// Hosts cannot send more out of their racks than uplinks carry, which is u / d of the capacity of
// their own links. A scheme that uses all uplinks reaches this bound. Defaults reach less if u does
// not divide d, because the least used uplink serves fewer hosts.
TEST(throughput_is_bounded_by_uplinks)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		double d = trees[i][1], u = trees[i][2];
		struct drb_packet_setup s = setup_of(trees[i], DRB_SCHEME_MICRO, 0.97);
		s.most_slots = s.slots;
		struct drb_packet_result r = run_packets(&s);
		assert_true(r.growing);
		assert_true(r.throughput < u / d * 1.001 && r.throughput > u / d * 0.97);
		s.scheme = DRB_SCHEME_DMODK;
		r = run_packets(&s);
		assert_true(r.throughput < u / d * 1.001);
		s.rho = u / d * 0.95;
		s.scheme = DRB_SCHEME_DRB;
		r = run_packets(&s);
		assert_true(fabs(r.throughput / s.rho - 1) < 0.02);
		assert_false(r.growing);
	}
}

// With a fresh permutation in each slot, the fullest down-link limits the load of D-mod-k to 1 /
// ceil(d / u). Most hosts of a rack share this link. drb detects such defaults in the queues of its
// uplinks, and its limit is u / d.
TEST(defaults_that_share_a_link_are_seen)
{
	static const uint32_t tree[] = {3, 8, 3};
	struct drb_packet_setup s = setup_of(tree, DRB_SCHEME_DMODK, 0.36);

	assert_int_equal(drb_traffic_parse("permutation", &s.traffic), 0);
	assert_true(run_packets(&s).growing);
	s.scheme = DRB_SCHEME_DRB;
	s.threshold = 4;
	assert_false(run_packets(&s).growing);
	s.scheme = DRB_SCHEME_DMODK;
	s.rho = 0.3;
	assert_false(run_packets(&s).growing);
}

// c flows of each host: by default at most c ceil(d / u) flows share a down-link between switches,
// and this number is reached.
TEST(flows_share_down_links)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct drb_flow_setup s = {
			.scheme = DRB_SCHEME_DMODK, .choices = 2, .flows = 3, .seed = 5};
		uint32_t d = trees[i][1], u = trees[i][2], most = 0;
		assert_int_equal(drb_tree_init_uplinks(&s.tree, trees[i][0], d, u), 0);
		struct drb_flow_work *work = drb_flow_work_new(&s.tree, s.flows);
		for (uint32_t n = 0; n < 50; n++) {
			struct drb_flow_result r = drb_flow_run(&s, n, work);
			assert_int_equal(r.redirected, 0);
			most = r.max_down > most ? r.max_down : most;
		}
		assert_int_equal(most, 3 * ((d + u - 1) / u));
		drb_flow_work_free(work);
	}
}

// Follows one flow from port to port over the wiring. load: [layer][switch][port], down-ports
// first.
static void follow(const struct drb_flow_setup *s, uint64_t salt, const uint32_t pair[2],
		   uint32_t *load)
{
	const struct drb_tree *t = &s->tree;
	struct drb_end at = drb_tree_host_peer(t, pair[0]);
	struct drb_choice choice = {.ops = drb_scheme_ops(s->scheme), .choices = 2};

	while (at.layer > 0) {
		struct drb_hop hop = drb_hop_at(t, at.layer, at.label);
		uint32_t *of = load + ((at.layer - 1) * t->hosts + at.label) * 2 * t->arity;
		uint32_t downs = drb_tree_down_ports(t, at.layer), port;
		if (drb_hop_below(&hop, pair[1])) {
			port = drb_hop_digit(&hop, pair[1]);
			of[port]++;
			at = drb_tree_down_peer(t, at.layer, at.label, port);
			continue;
		}
		choice.salt = drb_salt(salt, at.layer, at.label);
		choice.uplinks = drb_tree_up_ports(t, at.layer);
		port = drb_choose(&choice, NULL, drb_hop_default(&hop, pair[1]),
				  (uint64_t)pair[0] << 32 | pair[1], 0);
		of[downs + port]++;
		at = drb_tree_up_peer(t, at.layer, at.label, port);
	}
}

// The largest load of all up-ports or of all down-ports.
static uint32_t largest(const struct drb_tree *t, const uint32_t *load, bool up)
{
	uint32_t most = 0;

	for (uint32_t m = 1; m <= t->layers; m++) {
		uint32_t downs = drb_tree_down_ports(t, m), ports = downs + drb_tree_up_ports(t, m);
		for (uint32_t i = 0; i < drb_tree_switches(t, m) * ports; i++) {
			uint32_t is =
				load[((m - 1) * t->hosts + i / ports) * 2 * t->arity + i % ports];
			if ((i % ports >= downs) == up && is > most)
				most = is;
		}
	}
	return most;
}

// A second flow model for schemes that compare no loads: it follows flow after flow over the
// wiring.
TEST(flows_go_where_the_wiring_leads)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(trees) * 20; i++) {
		const uint32_t *tree = trees[i / 2 % ARRAY_SIZE(trees)];
		struct drb_flow_setup s = {.scheme = i % 2 ? DRB_SCHEME_ECMP : DRB_SCHEME_DMODK,
					   .choices = 2,
					   .flows = 1,
					   .seed = i};
		assert_int_equal(drb_tree_init_uplinks(&s.tree, tree[0], tree[1], tree[2]), 0);
		struct drb_flow_work *work = drb_flow_work_new(&s.tree, 1);
		struct drb_flow_result r = drb_flow_run(&s, 0, work);
		uint32_t hosts = s.tree.hosts, to[256], memory[DRB_TRAFFIC_WORDS(256)] = {0};
		uint32_t *load =
			calloc((size_t)s.tree.layers * hosts * 2 * s.tree.arity, sizeof(*load));
		struct drb_rng traffic_rng = drb_rng_seed(i, 0), rng = drb_rng_seed(i, 1);
		struct drb_traffic traffic;
		assert_true(hosts <= 256);
		drb_traffic_init(&traffic,
				 &(struct drb_traffic_setup){
					 &s.tree, {.pattern = DRB_PATTERN_PERMUTATION}, 1, memory},
				 &traffic_rng);
		drb_traffic_slot(&traffic, &traffic_rng, 0, to);
		uint64_t salt = drb_rng_next(&rng);
		for (uint32_t h = 0; h < hosts; h++)
			follow(&s, salt, (const uint32_t[]){h, to[h]}, load);
		uint32_t up = largest(&s.tree, load, true);
		assert_int_equal(r.max_up, up > 1 ? up : 1); // a host's link counts, too
		assert_int_equal(r.max_down, largest(&s.tree, load, false));
		free(load);
		drb_flow_work_free(work);
	}
}

// Links between switches by number, each once.
TEST(links_have_numbers)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		struct drb_tree t;
		uint32_t d = trees[i][1], u = trees[i][2];
		assert_int_equal(drb_tree_init_uplinks(&t, trees[i][0], d, u), 0);
		assert_int_equal(drb_links_between(&t), (t.layers - 1) * t.hosts / d * u);
		for (uint64_t n = 0; n < drb_links_between(&t); n++) {
			struct drb_end low = drb_link_numbered(&t, n);
			struct drb_end high = drb_tree_up_peer(&t, low.layer, low.label, low.port);
			assert_in_range(low.layer, 1, t.layers - 1);
			assert_in_range(low.label, 0, drb_tree_switches(&t, low.layer) - 1);
			assert_in_range(low.port, 0, drb_tree_up_ports(&t, low.layer) - 1);
			assert_in_range(high.label, 0, drb_tree_switches(&t, high.layer) - 1);
			if (n > 0) { // in order, each once
				struct drb_end before = drb_link_numbered(&t, n - 1);
				assert_true(low.layer > before.layer || low.label > before.label ||
					    low.port > before.port);
			}
		}
	}
}

// Packets take detours around dead links and switches, or are lost if there is no path.
TEST(dead_links_are_gone_around)
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_ECMP, DRB_SCHEME_WALK};

	for (size_t i = 0; i < ARRAY_SIZE(trees) * ARRAY_SIZE(schemes); i++) {
		const uint32_t *tree = trees[i / ARRAY_SIZE(schemes)];
		struct drb_packet_setup s = setup_of(tree, schemes[i % ARRAY_SIZE(schemes)], 0.1);
		s.slots = 600;
		s.stats = 300;
		s.fail.links = 1;
		struct drb_packet_sim *sim;
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (int slot = 0; slot < 300; slot++)
			assert_int_equal(drb_packet_step(sim), 0);
		struct drb_packet_count c = drb_packet_counted(sim);
		assert_int_equal(c.in, c.out + c.inside + c.lost);
		if (tree[2] > 1) // otherwise a rack may be cut off
			assert_int_equal(c.lost, 0);
		drb_packet_free(sim);
		s.fail = (struct drb_fail){.switches = 1};
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (int slot = 0; slot < 300; slot++)
			assert_int_equal(drb_packet_step(sim), 0);
		if (tree[2] > 1)
			assert_int_equal(drb_packet_counted(sim).lost, 0);
		drb_packet_free(sim);
	}
}

TEST_MAIN(NULL, NULL)
