// SPDX-License-Identifier: BSD-3-Clause
// The stability law of core/routing/spread.h against the simulator, and scheme walk in the
// simulator.
#include "fixtures/unit.h"

#include "fixtures/walk_sim.h"
#include "fixtures/walk_state.h"

static struct drb_packet_sim *make_by(enum drb_scheme scheme, uint32_t arity,
				      struct drb_traffic_kind kind, double rho, uint32_t slots)
{
	const struct drb_packet_setup s = setup_of(scheme, arity, kind, rho, slots);
	struct drb_packet_sim *sim;

	assert_int_equal(drb_packet_new(&sim, &s), 0);
	return sim;
}

static struct drb_packet_sim *make_of(uint32_t arity, struct drb_traffic_kind kind, double rho,
				      uint32_t slots)
{
	return make_by(DRB_SCHEME_WALK, arity, kind, rho, slots);
}

static struct drb_packet_sim *make(uint32_t arity, const char *traffic, double rho, uint32_t slots)
{
	struct drb_traffic_kind kind;

	assert_int_equal(drb_traffic_parse(traffic, &kind), 0);
	return make_of(arity, kind, rho, slots);
}

// Makes only the marked switches of layer 1 spread, whatever evidence they find.
static void force(struct drb_packet_sim *sim, const bool spreads[])
{
	for (uint32_t m = 1; m < LAYERS; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(&sim->setup.tree, m); s++) {
			struct drb_spread *spread = spread_of(sim_state(sim, m, s));
			bool now = m == 1 && spreads[s];
			spread->evidence = now ? DRB_SPREAD_AT_ONCE : 0;
			spread->distance = now;
			spread->heard = 0;
			// A window or a count never ends.
			spread->began = sim->slot;
			spread->hearing = 0;
		}
	}
}

// Counts packets that reach the cores in this slot, by their down-link: that of the destination at
// the core that they reached.
static void count_at_cores(const struct drb_packet_sim *sim, uint32_t count[])
{
	const struct drb_layer *l = &sim->fabric.layer[LAYERS];
	const uint64_t *word = l->from_below.now;

	for (uint32_t i = 0; i < l->switches * l->down; i++) {
		uint32_t s = i / l->down;
		struct drb_hop hop = drb_hop_at(&sim->setup.tree, LAYERS, s);
		if (word[i] != DRB_NO_PACKET)
			count[s * l->down + drb_hop_digit(&hop, (uint32_t)word[i])]++;
	}
}

// The core and down-link of the default path to a host.
static uint32_t default_link(const struct drb_packet_sim *sim, uint32_t src, uint32_t dest)
{
	const struct drb_tree *t = &sim->setup.tree;
	struct drb_end end = drb_tree_host_peer(t, src);
	uint32_t s = end.label;

	for (uint32_t m = 1; m < LAYERS; m++)
		s = drb_tree_up_peer(t, m, s, drb_host_digit(t, dest, m)).label;
	struct drb_hop hop = drb_hop_at(t, LAYERS, s);
	return s * sim->fabric.layer[LAYERS].down + drb_hop_digit(&hop, dest);
}

// Tornado: every destination has one source and, by default, its own down-link. A random share of
// the layer-1 switches spread their packets. Predicted load of the down-link of D: rho (1 - x_D +
// x). x_D is 1 for sources below the spreading switches, else 0. x is the mean of x_D over the
// destinations below the same port of the cores.
TEST(loads_are_what_the_law_says)
{
	enum { SLOTS = 20000, ARITY = 4, SUBTREE = ARITY * ARITY, RACKS = 2 * SUBTREE };
	static const double shares[] = {0, 0.125, 0.25, 0.5, 0.75, 1};
	const double rho = 0.5;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		struct drb_packet_sim *sim = make(ARITY, "tornado", rho, SLOTS);
		uint32_t hosts = sim->setup.tree.hosts, order[RACKS];
		uint32_t *count = calloc(hosts, sizeof(*count));
		double x[2 * ARITY] = {0}, measured = 0, predicted = 0;
		bool spreads[RACKS] = {false};
		struct drb_rng rng = drb_rng_seed(i, 0);
		sim->choice.margin = DRB_LOAD_MAX; // no redirects
		drb_rng_permutation(&rng, order, RACKS);
		for (uint32_t r = 0; r < shares[i] * RACKS; r++)
			spreads[order[r]] = true;
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			force(sim, spreads);
			count_at_cores(sim, count);
			assert_int_equal(drb_packet_step(sim), 0);
		}
		for (uint32_t h = 0; h < hosts; h++)
			x[(h + hosts / 2 - 1) % hosts / SUBTREE] +=
				spreads[h / ARITY] / (double)SUBTREE;
		for (uint32_t h = 0; h < hosts; h++) {
			uint32_t dest = (h + hosts / 2 - 1) % hosts;
			double load = (double)count[default_link(sim, h, dest)] / SLOTS;
			double law = rho * (1 - spreads[h / ARITY] + x[dest / SUBTREE]);
			assert_true(fabs(load - law) < 0.02);
			measured = fmax(measured, load);
			predicted = fmax(predicted, law);
		}
		print_message("%g of the racks spread: worst down-link %.3f, predicted %.3f\n",
			      shares[i], measured, predicted);
		assert_true(fabs(measured - predicted) < 0.02);
		drb_packet_free(sim);
		free(count);
	}
}

// The traffic of the bound (docs/walk.md) on F(3,d). Each of d - 1 racks of the first pod sends
// only to the d destinations in the last pod that default to one of its uplinks. All hosts of the
// pods between send to each other and evenly to the d remaining hosts of the last pod. The first
// and the last pod have no other traffic.
static struct drb_traffic_kind traffic_of_bound(uint32_t d)
{
	const uint32_t in_pod = d * d, last = (2 * d - 1) * in_pod;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "slot,from,to,rate\n");
	for (uint32_t h = 0; h < (d - 1) * d; h++)
		fprintf(f, "0,%u,%u,1\n", h, last + h % d * d + h / d);
	fprintf(f, "0,%u-%u,%u-%u", in_pod, last - 1, in_pod, last - 1);
	for (uint32_t rack = 0; rack < d; rack++)
		fprintf(f, "+%u", last + rack * d + d - 1);
	fprintf(f, ",1\n");
	fclose(f);
	return read_traffic(text, d);
}

// Cases in which hosts that kept their defaults did not hear of the deaf. drblab search found all
// but the last one.
static const struct {
	uint32_t arity;
	double rho, latency;
	const char *lines;
} found[] = {
	// Host 6 keeps its default to a rack of a silent pod, and the deaf spread to the rack's
	// other host. Host 6 hears the deaf.
	{2, 0.9, 7,
	 "0,0,2,1\n0,1,0,1\n0,6,7,1\n0,7,3,1\n0,8,4,0.1\n0,9,1,0.1\n0,10,6,1\n0,11,5,1\n"},
	{2, 0.95, 7, "0,8,3,1\n0,9,8,1\n0,4-5,2+4-5+9+12-13,0.833333333\n"},
	// 12 and 13 hear 15, whose rack is deaf, and no host of another pod.
	{2, 0.95, 7,
	 "0,2,5,1\n0,3,7,1\n0,8,10,1\n0,9,8,1\n0,10,4,1\n0,11,6,1\n0,12,2,1\n0,13,11,1\n0,14,15,1\n"
	 "0,15,12,1\n"},
	// 0, 1 and 3 hear each other. Only their switches of layer 2 know that the other packets
	// come from the deaf.
	{2, 0.9, 7, "0,6,2,1\n0,7,15,1\n0,0-1+3,1+3+14,0.666666667\n"},
	// Two pods hear each other, and send to one host of a silent rack; the deaf spread to the
	// other host.
	{2, 0.9, 7, "0,8,12,1\n0,9,5,1\n0,0-1+4-5,0-1+4+13,0.75\n"},
	// All pods but two hear each other, and send to half of a rack of a silent pod; the deaf
	// spread to the other half.
	{4, 0.9, 12, "0,0,112,1\n0,4,113,1\n0,16-111,16-111+114-115,1\n"},
};

static struct drb_traffic_kind traffic_found(size_t i)
{
	char *text;

	assert_true(asprintf(&text, "slot,from,to,rate\n%s", found[i].lines) > 0);
	return read_traffic(text, found[i].arity);
}

// Runs with only the given racks spreading. load: packets per slot for each host at its default
// down-link of the cores. *growing: whether queues grow.
static void run_forced(struct drb_packet_sim *sim, const bool spreads[], double load[],
		       bool *growing)
{
	const uint32_t hosts = sim->setup.tree.hosts, slots = sim->setup.slots;
	uint32_t *count = calloc(hosts, sizeof(*count));

	sim->choice.margin = DRB_LOAD_MAX; // no redirects
	for (uint32_t slot = 0; slot < slots; slot++) {
		force(sim, spreads);
		count_at_cores(sim, count);
		assert_int_equal(drb_packet_step(sim), 0);
	}
	for (uint32_t h = 0; h < hosts; h++)
		load[h] = (double)count[default_link(sim, 0, h)] / slots;
	*growing = drb_growth_of_fabric(&sim->growth, NULL) == DRB_GROWTH_YES;
	free(count);
}

// Some racks must spread, and others observe, to the packet, the same as under fresh permutations.
// By the law for unequal rates, the down-link of D has r_D (1 - x_D) plus the mean of r x over the
// hosts of its pod. The d remaining hosts get rho (1 + (d - 1) / d) if the hosts that send to them
// keep their defaults. Queues then grow from about half of the load on. If all spread, queues grow
// at no load.
TEST(racks_that_hear_nothing_overload_a_silent_pod)
{
	enum { ARITY = 4, IN_POD = ARITY * ARITY, HOSTS = 2 * ARITY * IN_POD, SLOTS = 4000 };
	static const double rhos[] = {0.45, 0.7, 0.9};
	const uint32_t last = HOSTS - IN_POD, others = HOSTS - 2 * IN_POD;

	for (size_t i = 0; i < ARRAY_SIZE(rhos); i++) {
		for (int all = 0; all <= 1; all++) {
			struct drb_traffic_kind kind = traffic_of_bound(ARITY);
			struct drb_packet_sim *sim = make_of(ARITY, kind, rhos[i], SLOTS);
			bool spreads[HOSTS / ARITY], growing;
			double load[HOSTS], x = (ARITY - 1.0) / ARITY;
			for (uint32_t r = 0; r < HOSTS / ARITY; r++)
				spreads[r] = all || r < ARITY - 1;
			run_forced(sim, spreads, load, &growing);
			double rate = rhos[i] * others / (others + ARITY); // of the remaining hosts
			double law = all ? rhos[i] * x + rate / ARITY : rate + rhos[i] * x;
			for (uint32_t rack = 0; rack < ARITY; rack++)
				assert_true(fabs(load[last + rack * ARITY + ARITY - 1] - law) <
					    0.04);
			assert_int_equal(growing, law > 1);
			drb_packet_free(sim);
			drb_traffic_file_free(kind.file);
		}
	}
}

// The last pod sends nothing out. Each of d - 1 of its racks sends only to destinations in it that
// default to one of its uplinks. All other pods send to each other and to the remaining hosts of
// the last pod. Hosts that spread and hosts that keep their defaults receive nothing from each
// other.
static struct drb_traffic_kind traffic_inside(uint32_t d)
{
	const uint32_t last = (2 * d - 1) * d * d;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "slot,from,to,rate\n");
	for (uint32_t i = 0; i < (d - 1) * (d - 1); i++) {
		const uint32_t rack = i / (d - 1), k = i % (d - 1);
		fprintf(f, "0,%u,%u,1\n", last + rack * d + k, last + (k + (k >= rack)) * d + rack);
	}
	fprintf(f, "0,0-%u,0-%u", last - 1, last - 1);
	for (uint32_t rack = 0; rack < d; rack++)
		fprintf(f, "+%u", last + rack * d + d - 1);
	fprintf(f, ",1\n");
	fclose(f);
	return read_traffic(text, d);
}

// Walk grows here from d / (2 d - 1) on, and micro does not.
TEST(a_pod_that_sends_nothing_out_is_not_heard_of)
{
	static const double rhos[] = {0.5, 0.7};

	for (size_t i = 0; i < ARRAY_SIZE(rhos); i++) {
		for (int walks = 0; walks <= 1; walks++) {
			struct drb_traffic_kind kind = traffic_inside(4);
			struct drb_packet_sim *sim = make_by(
				walks ? DRB_SCHEME_WALK : DRB_SCHEME_MICRO, 4, kind, rhos[i], 6000);
			struct drb_packet_result r;
			drb_packet_run(sim, &r);
			assert_int_equal(r.growing, walks && rhos[i] > 4.0 / 7);
			drb_packet_free(sim);
			drb_traffic_file_free(kind.file);
		}
	}
}

// Queues do not grow, and the mean latency is below this limit.
static void stays_below(double latency, uint32_t arity, struct drb_traffic_kind kind, double rho,
			uint32_t slots)
{
	struct drb_packet_sim *sim = make_of(arity, kind, rho, slots);
	struct drb_packet_result r;

	drb_packet_run(sim, &r);
	assert_false(r.growing);
	assert_true(r.latency < latency);
	drb_packet_free(sim);
	drb_traffic_file_free(kind.file);
}

// The cores mark the packets, and all switches receive the marks.
TEST(a_silent_pod_is_heard_of)
{
	stays_below(12, 4, traffic_of_bound(4), 0.9, 6000);
}

TEST(the_deaf_are_heard_of)
{
	for (size_t i = 0; i < ARRAY_SIZE(found); i++)
		stays_below(found[i].latency, found[i].arity, traffic_found(i), found[i].rho, 8000);
}

// A rack that only sends spreads, because it receives nothing. Other racks do the same only if
// there are many such racks.
TEST(a_single_sender_is_not_followed)
{
	static const uint32_t senders[] = {8, 128}; // the first hosts of F(3,8), which only send

	for (size_t i = 0; i < ARRAY_SIZE(senders); i++) {
		struct drb_packet_result r;
		char *text;
		assert_true(asprintf(&text, "slot,from,to,rate\n0,0-1023,%u-1023,%g\n", senders[i],
				     (1023.0 - senders[i]) / 1024) > 0);
		const struct drb_traffic_kind kind = read_traffic(text, 8);
		struct drb_packet_sim *sim = make_of(8, kind, 0.8, 2000);
		drb_packet_run(sim, &r);
		assert_int_equal(r.redirected > 0.05, senders[i] == 128); // drb: 0.03
		drb_packet_free(sim);
		drb_traffic_file_free(kind.file);
	}
}

static double latency_of(enum drb_scheme scheme, uint32_t arity, double rho)
{
	struct drb_packet_result r;
	struct drb_traffic_kind kind;

	assert_int_equal(drb_traffic_parse("oneway:0.5:0", &kind), 0);
	struct drb_packet_sim *sim = make_by(scheme, arity, kind, rho, 6000);
	drb_packet_run(sim, &r);
	assert_false(r.growing);
	drb_packet_free(sim);
	return r.latency;
}

// Half of the pods send and the others receive; half of the racks keep their destinations.
TEST(one_way_it_is_as_fast_as_micro)
{
	static const double rhos[] = {0.7, 0.9, 0.95};

	for (uint32_t arity = 2; arity <= 4; arity += 2) {
		for (size_t i = 0; i < ARRAY_SIZE(rhos); i++)
			assert_true(latency_of(DRB_SCHEME_WALK, arity, rhos[i]) <
				    1.1 * latency_of(DRB_SCHEME_MICRO, arity, rhos[i]));
	}
}

// Overflow of uplinks may give no evidence, as with few senders on large switches; here the uplinks
// count as ten times as fast. Then the down-link queues give evidence: drb overloads them, and all
// switches spread.
TEST(queues_down_wake_all)
{
	struct drb_packet_sim *sim = make(4, "fixed", 0.9, 6000);
	struct drb_packet_result r;

	for (uint32_t m = 1; m < LAYERS; m++)
		for (uint32_t s = 0; s < drb_tree_switches(&sim->setup.tree, m); s++)
			spread_of(sim_state(sim, m, s))->rate = 10;
	drb_packet_run(sim, &r);
	assert_false(r.growing);
	assert_true(r.latency < 14); // micro
	drb_packet_free(sim);
}

static uint32_t spreading(const struct drb_packet_sim *sim)
{
	uint32_t n = 0;

	for (uint32_t m = 1; m < LAYERS; m++)
		for (uint32_t s = 0; s < drb_tree_switches(&sim->setup.tree, m); s++)
			n += spread_of(sim_state(sim, m, s))->distance > 0;
	return n;
}

static void steps(struct drb_packet_sim *sim, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++)
		assert_int_equal(drb_packet_step(sim), 0);
}

// Some racks keep a permutation: soon all switches spread. Then all racks draw fresh ones: no
// switch spreads, and no packet carries a mark.
TEST(it_hears_and_forgets)
{
	enum { SLOTS = 20000 };
	struct drb_packet_sim *sim = make(8, "racks:0.25", 0.9, SLOTS);
	uint32_t switches = (LAYERS - 1) * drb_tree_switches(&sim->setup.tree, 1), forgotten = 0;

	steps(sim, 500);
	assert_true(spreading(sim) > switches * 9 / 10);
	sim->traffic.free = sim->traffic.hosts;
	for (uint32_t h = 0; h < sim->traffic.hosts; h++)
		sim->traffic.order[h] = h;
	while (spreading(sim) > 0 && sim->slot < SLOTS)
		steps(sim, 1);
	forgotten = sim->slot - 500;
	assert_true(forgotten < 5000);
	steps(sim, 500);
	assert_int_equal(spreading(sim), 0);
	const struct drb_layer *l = &sim->fabric.layer[2];
	for (uint32_t i = 0; i < l->switches * l->down; i++) {
		uint64_t word = l->from_below.now[i];
		assert_true(word == DRB_NO_PACKET || (word >> sim->mark_at & sim->mark_mask) == 0);
	}
	drb_packet_free(sim);
}

// A packet on a detour goes down and up again. The next core must ignore its mark, or cores beside
// a dead switch would keep each other's evidence alive.
TEST(detours_keep_no_rumour)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		const struct drb_traffic_kind fresh = {.pattern = DRB_PATTERN_PERMUTATION};
		struct drb_packet_setup s = setup_of(DRB_SCHEME_WALK, 4, fresh, 0.5, 10000);
		struct drb_packet_sim *sim;
		s.seed = seed;
		s.fail.switches = 1;
		assert_int_equal(drb_packet_new(&sim, &s), 0);
		steps(sim, 100);
		for (uint32_t c = 0; c < drb_tree_switches(&s.tree, LAYERS); c++)
			spread_of(sim_state(sim, LAYERS, c))->turned = true;
		steps(sim, 6000);
		for (uint32_t c = 0; c < drb_tree_switches(&s.tree, LAYERS); c++)
			assert_int_equal(spread_of(sim_state(sim, LAYERS, c))->distance, 0);
		assert_int_equal(spreading(sim), 0);
		drb_packet_free(sim);
	}
}

// Traffic with which queues of drb grow, or those of a rule that lets each switch decide alone.
TEST(queues_do_not_grow)
{
	static const char *const traffic[] = {
		"fixed",  "mixed",        "racks:0.1",       "racks:0.5",    "turns:10",
		"jobs:8", "oneway:0.5:0", "oneway:0.5:0.05", "oneway:0.1:0", "sink:0.5",
		"sink:1", "silent:0.5",   "unequal:0.25"};

	for (size_t i = 0; i < ARRAY_SIZE(traffic); i++) {
		struct drb_packet_result r;
		struct drb_packet_sim *sim = make(4, traffic[i], 0.9, 6000);
		drb_packet_run(sim, &r);
		assert_false(r.growing);
		assert_true(r.latency < 10);
		drb_packet_free(sim);
	}
}

TEST_MAIN(NULL, NULL)
