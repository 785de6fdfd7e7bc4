// SPDX-License-Identifier: BSD-3-Clause
#include "fixtures/packet_run.h"

#include "sim/models/packet_decide.h"

#define MEMORY (UINT64_C(256) << 20)

static struct drb_packet_setup setup_of(uint32_t layers, uint32_t arity, enum drb_scheme scheme,
					const char *traffic, double rho)
{
	struct drb_packet_setup s = {.scheme = scheme,
				     .choices = 2,
				     .rho = rho,
				     .threshold = drb_threshold_packet(rho < 1 ? rho : 0.9),
				     .slots = 200,
				     .stats = 100,
				     .seed = 5,
				     .memory = MEMORY};

	assert_int_equal(drb_tree_init(&s.tree, layers, arity), 0);
	assert_int_equal(drb_traffic_parse(traffic, &s.traffic), 0);
	return s;
}

static const uint32_t trees[][2] = {{1, 1}, {1, 4}, {2, 1}, {2, 3}, {3, 2}, {3, 4}, {4, 3}};
static const char *const traffics[] = {"permutation", "fixed", "random",
				       "reversal",    "mixed", "hotspot:2"};

TEST(packets_in_are_out_or_inside)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees) * ARRAY_SIZE(traffics) * DRB_SCHEME_COUNT; i++) {
		const uint32_t *tree = trees[i % ARRAY_SIZE(trees)];
		size_t rest = i / ARRAY_SIZE(trees);
		struct drb_packet_setup s =
			setup_of(tree[0], tree[1], (enum drb_scheme)(rest % DRB_SCHEME_COUNT),
				 traffics[rest / DRB_SCHEME_COUNT], 0.9);
		for (uint32_t m = 1; m <= tree[0]; m++)
			s.delay.link[m] = (rest + m) % 3;
		struct drb_packet_sim *sim;
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (int slot = 0; slot < 60; slot++) {
			assert_int_equal(drb_packet_step(sim), 0);
			struct drb_packet_count c = drb_packet_counted(sim);
			assert_int_equal(c.in, c.out + c.inside);
		}
		assert_true(drb_packet_counted(sim).out > 0);
		drb_packet_free(sim);
	}
}

// One sender and one receiver: there is no queueing, so each packet takes 2k slots plus the delays
// of links.
TEST(zero_load_latency_is_2k)
{
	uint32_t seen = 0;

	for (uint64_t seed = 0; seed < 60; seed++) {
		struct drb_packet_setup s = setup_of(3, 3, DRB_SCHEME_DRB, "incast:1", 1);
		struct drb_rng rng = drb_rng_seed(seed, 0);
		struct drb_traffic traffic;
		uint32_t memory[DRB_TRAFFIC_WORDS(54)] = {0};
		s.seed = seed;
		s.delay = (struct drb_delay){{0, seed % 2, 2 * (seed % 3), 7}, seed % 4};
		assert_int_equal(
			drb_traffic_init(&traffic,
					 &(struct drb_traffic_setup){&s.tree, s.traffic, 1, memory},
					 &rng),
			0);
		uint32_t from = 0;
		while (traffic.map[from] == DRB_NO_LABEL)
			from++;
		uint32_t k = drb_distance(&s.tree, from, traffic.map[from]);
		struct drb_packet_result r = run_packets(&s);
		uint32_t takes = 2 * k + 2 * (uint32_t)(seed % 2);
		takes += k > 1 ? 4 * (uint32_t)(seed % 3) : 0;
		takes += k > 2 ? 14 : 0;
		assert_true(r.latency == takes);
		assert_true(r.tail == takes);
		seen |= 1U << k;
	}
	assert_int_equal(seen, 1U << 1 | 1U << 2 | 1U << 3);
}

// The paper's theorem: D-mod-k paths to different destinations share no down-link. Packets to one
// destination arrive one per slot.
TEST(dmodk_down_links_never_queue)
{
	static const char *const persistent[] = {"fixed", "reversal", "transpose", "tornado",
						 "stride:5"};
	for (size_t i = 0; i < ARRAY_SIZE(persistent); i++) {
		struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DMODK, persistent[i], 0.9);
		struct drb_packet_result r = run_packets(&s);
		for (uint32_t m = 1; m <= 3; m++)
			assert_int_equal(r.down_max[m], 1);
	}
}

TEST(equal_seeds_give_equal_runs)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DRB, "permutation", 0.95);

	struct drb_packet_result a = run_packets(&s), b = run_packets(&s);
	assert_true(a.latency == b.latency && a.tail == b.tail && a.redirected == b.redirected);
	assert_true(a.hops == b.hops && a.slots == b.slots);
	s.seed++;
	b = run_packets(&s);
	assert_true(a.latency != b.latency);
}

TEST(persistent_collisions_grow)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DMODK, "reversal", 0.9);

	struct drb_packet_result r = run_packets(&s);
	assert_true(r.growing);
	// d flows share an uplink.
	assert_true(fabs(r.throughput - 0.25) < 0.01);
	assert_int_equal(r.undelivered, 0);
	s.scheme = DRB_SCHEME_MICRO;
	r = run_packets(&s);
	assert_false(r.growing);
	assert_true(fabs(r.throughput - 0.9) < 0.02);
}

// A run that gives up ends where its queues are found to grow, and otherwise runs as usual. Packets
// that are still inside count with their latency so far.
TEST(a_growing_run_gives_up)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DMODK, "reversal", 0.9);

	struct drb_packet_result whole = run_packets(&s);
	s.give_up = true;
	struct drb_packet_result r = run_packets(&s);
	assert_true(whole.growing && r.growing);
	assert_true(whole.slots > s.slots && r.slots == s.slots);
	assert_true(whole.undelivered == 0 && r.undelivered > 0);
	assert_true(r.throughput == whole.throughput && r.latency < whole.latency);
	s.scheme = DRB_SCHEME_MICRO;
	r = run_packets(&s);
	assert_false(r.growing);
	assert_true(r.slots > s.slots && r.undelivered == 0);
}

// Queues that outgrow the memory end the run.
TEST(memory_ends_a_run)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DMODK, "reversal", 0.9);

	s.slots = 4000;
	s.stats = 1000;
	s.memory = drb_packet_bytes(&s) + (1 << 19);
	struct drb_packet_result r = run_packets(&s);
	assert_true(r.slots < s.slots);
	s.memory = drb_packet_bytes(&s) + (8 << 20);
	r = run_packets(&s);
	assert_true(r.slots > s.slots);
	assert_true(r.undelivered > 0);
	assert_true(r.growing);
	s.memory = drb_packet_bytes(&s) - 1;
	struct drb_packet_sim *sim;
	assert_int_equal(drb_packet_new(&sim, &s), -ENOMEM);
}

TEST(impossible_setups_are_refused)
{
	const struct drb_packet_setup good = setup_of(3, 2, DRB_SCHEME_DRB, "stride:15", 0.9);
	struct drb_packet_setup s[8];
	static const int error[8] = {-EINVAL, -EINVAL, -EINVAL, -EINVAL,
				     -EINVAL, -EINVAL, -ERANGE, -ERANGE};
	struct drb_packet_sim *sim;

	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = good;
	s[0].rho = 1.01;
	s[1].rho = NAN;
	s[2].threshold = -1;
	s[3].threshold = NAN;
	s[4].stats = 0;
	s[5].stats = s[5].slots + 1;
	s[6].traffic.k = 16;
	s[7].slots = UINT32_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		assert_int_equal(drb_packet_new(&sim, &s[i]), error[i]);
}

// Removes all routes, as in a fabric that is too large for them.
static void take_routes_away(struct drb_packet_sim *sim)
{
	const struct drb_failures *f = &sim->failures;

	for (uint32_t i = 0; f->at && i < sim->setup.tree.layers * f->stride; i++)
		f->at[i].routes = NULL;
}

// There is hardly any other traffic. Without routes, a dead link costs at most two more hops, and a
// dead switch at most six. With routes, packets avoid outages from afar, so no path is longer than
// in a whole fabric. No packet is lost.
static void paths_are_short(bool routes)
{
	static const struct {
		uint32_t layers, arity, links, switches, longest;
	} cases[] = {{3, 2, 0, 0, 6},  {3, 2, 1, 0, 8},  {3, 3, 1, 0, 8},
		     {4, 2, 1, 0, 10}, {3, 2, 0, 1, 12}, {3, 4, 0, 1, 12}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t most = 0;
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct drb_packet_setup s = setup_of(cases[i].layers, cases[i].arity,
							     DRB_SCHEME_DRB, "random", 0.0005);
			s.seed = seed;
			s.slots = 4000;
			s.stats = 3990;
			s.fail = (struct drb_fail){.links = cases[i].links,
						   .switches = cases[i].switches};
			struct drb_packet_sim *sim;
			struct drb_packet_result r;
			assert_int_equal(drb_packet_new(&sim, &s), 0);
			if (!routes)
				take_routes_away(sim);
			drb_packet_run(sim, &r);
			struct drb_packet_count c = drb_packet_counted(sim);
			assert_int_equal(c.in, c.out + c.inside + c.lost);
			assert_int_equal(c.lost, 0);
			assert_true(r.lost == 0);
			for (uint32_t k = 0; k < s.stats; k++)
				most = sim->largest[k] > most ? sim->largest[k] : most;
			drb_packet_free(sim);
		}
		if (routes) // a packet may have waited for another one
			assert_in_range(most, 2 * cases[i].layers, 2 * cases[i].layers + 1);
		else
			assert_int_equal(most, cases[i].longest);
	}
}

TEST(detours_are_short)
{
	paths_are_short(false);
}

TEST(routes_are_shorter)
{
	paths_are_short(true);
}

TEST(detour_marks_fit_into_words)
{
	for (uint32_t mark = 0; mark < 128; mark++) {
		if ((mark & 0xf) <= DRB_DETOUR_HOPS_MAX / 2) {
			const uint8_t packed = sim_packed_detour((uint8_t)mark);
			assert_in_range(packed, mark > 0, 0x1f);
			assert_int_equal(sim_unpacked_detour(packed), mark);
		}
	}
	for (uint32_t hops = 0; hops <= DRB_ROUTED_HOPS_MAX; hops++) {
		const uint8_t packed = sim_packed_detour((uint8_t)(DRB_DETOUR_ROUTED | hops));
		assert_in_range(packed, 0x20, 0x3f);
		assert_int_equal(sim_unpacked_detour(packed), DRB_DETOUR_ROUTED | hops);
	}
}

static uint32_t slow_ports(const struct drb_slow_links *links, const struct drb_tree *t, bool up)
{
	uint32_t slow = 0;

	for (uint32_t m = 1; m <= t->layers; m++) {
		uint32_t ups = drb_tree_up_ports(t, m), ports = ups + drb_tree_down_ports(t, m);
		for (uint32_t i = 0; i < drb_tree_switches(t, m) * ports; i++)
			slow += links->of[m][i].slots > 1 && (i % ports < ups) == up;
	}
	return slow;
}

TEST(so_many_links_are_slow)
{
	struct drb_slow_links links = {{0}}, other = {{0}};
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 3, 4), 0);
	for (uint32_t n = 1; n <= 256; n *= 4) {
		const size_t bytes = drb_tree_switches(&t, 1) * 8 * sizeof(*links.of[1]);
		assert_int_equal(drb_slow_make(&links, &t, (struct drb_slow){n, 7}, 1), 0);
		assert_int_equal(drb_slow_make(&other, &t, (struct drb_slow){n, 7}, 2), 0);
		assert_int_equal(slow_ports(&links, &t, true), n);
		assert_int_equal(slow_ports(&links, &t, false), n);
		if (n > 1 && n < 256)
			assert_memory_not_equal(links.of[1], other.of[1], bytes);
		drb_slow_free(&links);
		drb_slow_free(&other);
	}
	assert_int_equal(drb_slow_make(&links, &t, (struct drb_slow){257, 2}, 1), -ERANGE);
	assert_int_equal(drb_slow_make(&links, &t, (struct drb_slow){1, 0}, 1), -ERANGE);
	assert_int_equal(drb_slow_make(&links, &t, (struct drb_slow){1, DRB_SLOW_MAX + 1}, 1),
			 -ERANGE);
	assert_int_equal(drb_slow_make(&links, &t, (struct drb_slow){0, 0}, 1), 0);
	assert_null(links.of[1]);
}

// With much of the fabric dead, packets are lost and counted, in every scheme.
TEST(what_finds_no_way_is_counted)
{
	for (int scheme = 0; scheme < DRB_SCHEME_COUNT; scheme++) {
		struct drb_packet_setup s = setup_of(3, 4, (enum drb_scheme)scheme, "fixed", 0.3);
		struct drb_packet_sim *sim;
		struct drb_packet_count c;
		s.fail = (struct drb_fail){.links = 128};
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		for (int slot = 0; slot < 150; slot++) {
			assert_int_equal(drb_packet_step(sim), 0);
			c = drb_packet_counted(sim);
			assert_int_equal(c.in, c.out + c.inside + c.lost);
		}
		assert_true(c.lost > 0 && c.out > c.lost);
		drb_packet_free(sim);
		s.fail.links = 257;
		assert_int_equal(drb_packet_new(&sim, &s), -ERANGE);
	}
}

// Recording packets changes no figure, also for schemes that hash flows and with dead links.
TEST(detail_changes_no_figure)
{
	for (int i = 0; i < 2 * DRB_SCHEME_COUNT; i++) {
		struct drb_packet_setup s =
			setup_of(3, 4, (enum drb_scheme)(i / 2), "permutation", 0.8);
		s.fail.links = i % 2 * 5;
		struct drb_packet_result plain = run_packets(&s);
		s.detail = true;
		struct drb_packet_result r = run_packets(&s);
		assert_true(fabs(r.detail.latency.mean - r.latency) < 1e-9);
		assert_true(r.detail.order.packets == r.detail.latency.samples);
		r.detail = plain.detail;
		assert_memory_equal(&r, &plain, sizeof(r));
	}
}

// The figures of a layer are the mean and the largest of the figures of its links.
static void links_are_their_layers(const struct drb_packet_sim *sim, struct drb_packet_result *r)
{
	const struct drb_tree *t = &sim->setup.tree;
	double mean[2][DRB_LAYERS_MAX + 1] = {0}, use[2][DRB_LAYERS_MAX + 1] = {0};
	uint32_t longest[2][DRB_LAYERS_MAX + 1] = {0}, of[2][DRB_LAYERS_MAX + 1] = {0};

	for (uint64_t i = 0; i < drb_packet_links(t); i++) {
		const struct drb_link_figures link = drb_packet_link(sim, i);
		const uint32_t up = link.from.up, m = link.from.layer;
		assert_true(link.from.label < drb_tree_switches(t, m));
		of[up][m]++;
		mean[up][m] += link.queue_mean;
		use[up][m] += link.use;
		longest[up][m] = link.queue_max > longest[up][m] ? link.queue_max : longest[up][m];
	}
	for (uint32_t m = 1; m <= t->layers; m++) {
		assert_true(fabs(mean[0][m] / of[0][m] - r->down_mean[m]) < 1e-9);
		assert_true(fabs(use[0][m] / of[0][m] - r->detail.down[m].mean) < 1e-9);
		assert_int_equal(longest[0][m], r->down_max[m]);
		if (m == t->layers)
			continue;
		assert_true(fabs(mean[1][m] / of[1][m] - r->up_mean[m]) < 1e-9);
		assert_int_equal(longest[1][m], r->up_max[m]);
	}
}

TEST(links_are_told_one_by_one)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DRB, "fixed", 0.9);
	struct drb_packet_sim *sim;
	struct drb_packet_result r;
	uint64_t growing = 0;

	s.detail = true;
	assert_int_equal(drb_packet_new(&sim, &s), 0);
	drb_packet_run(sim, &r);
	links_are_their_layers(sim, &r);
	for (uint64_t i = 0; i < drb_packet_links(&s.tree); i++)
		growing += drb_packet_link(sim, i).growing == DRB_GROWTH_YES;
	assert_true(growing > 0);
	assert_int_equal(growing, r.growing_links);
	drb_packet_free(sim);
}

// Packets that are still in flight count with their latency so far, as in the mean, and have no
// order.
TEST(what_did_not_arrive_has_no_order)
{
	struct drb_packet_setup s = setup_of(3, 4, DRB_SCHEME_DMODK, "reversal", 0.9);

	s.give_up = true;
	s.detail = true;
	struct drb_packet_result r = run_packets(&s);
	assert_true(r.undelivered > 0);
	assert_int_equal(r.detail.order.packets + r.undelivered, r.detail.latency.samples);
	assert_true(fabs(r.detail.latency.mean - r.latency) < 1e-9);
	assert_int_equal(r.detail.order.reordered, 0); // one path for each pair
	// Four flows share an uplink, and no down-link is full.
	assert_true(r.detail.up[1].max == 1 && r.detail.down[1].max < 0.5);
}

// A packet has the slot of its birth in 13 bits here; a run with growing queues lasts longer.
TEST(no_run_is_too_long_for_births)
{
	struct drb_packet_setup s = setup_of(3, 2, DRB_SCHEME_ECMP, "fixed", 0.9);
	struct drb_packet_sim *sim;
	struct drb_packet_result r;

	s.fail.links = 1;
	s.slots = 8000;
	s.stats = 4000;
	assert_int_equal(drb_packet_new(&sim, &s), 0);
	drb_packet_run(sim, &r);
	assert_true(r.growing && r.slots > 16384);
	assert_int_equal(r.undelivered, 0);
	assert_int_equal(sim->measured_delivered, sim->measured_born);
	assert_true(r.latency < r.tail && r.tail < (double)r.slots);
	drb_packet_free(sim);
	s.slots = 16383;
	assert_int_equal(drb_packet_new(&sim, &s), -ERANGE);
	s.slots = 16382;
	assert_int_equal(drb_packet_new(&sim, &s), 0);
	drb_packet_free(sim);
}

TEST_MAIN(NULL, NULL)
