// SPDX-License-Identifier: BSD-3-Clause
// Routes around known outages, against a naive second model of the fabric. Links and switches above
// layer 1 are dead or spare: each one, each pair, and a sample of triples. Each switch sends each
// packet nearer to its destination, and the packet arrives whenever there is a path.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "core/routing/decide.h"
#include "core/routing/routes.h"
#include "core/schemes/schemes.h"

#define SWITCHES_MAX 50
#define RACKS_MAX 18
#define LINKS_MAX 120
#define APART UINT32_MAX

struct link {
	uint32_t low, low_port, high, high_port; // switches by number, down-ports first
	uint32_t number;
};

static struct {
	struct drb_tree t;
	uint32_t switches, racks, links;
	struct drb_end place[SWITCHES_MAX];
	struct drb_detour_node node[SWITCHES_MAX];
	struct drb_routes routes[SWITCHES_MAX];
	struct link link[LINKS_MAX];
	bool dead[LINKS_MAX], spare[LINKS_MAX];
	struct drb_outages truth;
	uint64_t usable[SWITCHES_MAX], drained[SWITCHES_MAX];
	uint32_t length[RACKS_MAX][SWITCHES_MAX]; // naive
	uint64_t via[SWITCHES_MAX][RACKS_MAX];
	uint32_t longest; // path of a packet, in links
} w;

static uint32_t first_of(uint32_t layer)
{
	uint32_t first = 0;

	for (uint32_t m = 1; m < layer; m++)
		first += drb_tree_switches(&w.t, m);
	return first;
}

static void begin_with(uint32_t layers, uint32_t arity, uint32_t uplinks)
{
	memset(&w, 0, sizeof(w));
	assert_int_equal(drb_tree_init_uplinks(&w.t, layers, arity, uplinks), 0);
	w.racks = drb_tree_switches(&w.t, 1);
	for (uint32_t m = 1; m <= layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(&w.t, m); s++) {
			uint32_t n = w.switches++, downs = drb_tree_down_ports(&w.t, m);
			w.place[n] = (struct drb_end){.layer = m, .label = s};
			w.node[n] = (struct drb_detour_node){drb_hop_at(&w.t, m, s), m, downs,
							     drb_tree_up_ports(&w.t, m)};
			assert_int_equal(drb_routes_init(&w.routes[n], &w.t, m, s), 0);
			assert_non_null(w.routes[n].node);
			for (uint32_t u = 0; u < w.node[n].up_ports; u++) {
				struct drb_end peer = drb_tree_up_peer(&w.t, m, s, u);
				w.link[w.links++] =
					(struct link){n, downs + u, first_of(m + 1) + peer.label,
						      peer.port, drb_outage_link(&w.t, m, s, u)};
			}
		}
	}
	assert_true(w.switches <= SWITCHES_MAX && w.links <= LINKS_MAX && w.racks <= RACKS_MAX);
}

static void begin(uint32_t layers, uint32_t arity)
{
	begin_with(layers, arity, arity);
}

static void end(void)
{
	for (uint32_t n = 0; n < w.switches; n++)
		drb_routes_free(&w.routes[n]);
}

// Faults by number: links, then switches above layer 1.
static uint32_t fault_count(void)
{
	return w.links + w.switches - w.racks;
}

static void take(bool out[LINKS_MAX], uint32_t fault)
{
	if (fault < w.links)
		out[fault] = true;
	for (uint32_t i = 0; fault >= w.links && i < w.links; i++) {
		const uint32_t n = fault - w.links + w.racks;
		out[i] |= w.link[i].low == n || w.link[i].high == n;
	}
}

static void cut(uint32_t fault)
{
	take(w.dead, fault);
}

// The naive model finds lengths by repeated passes over all links.
static bool shorten(uint32_t *length, uint32_t i)
{
	uint32_t *a = &length[w.link[i].low], *b = &length[w.link[i].high];
	const uint32_t more = w.spare[i] ? DRB_ROUTES_SPARE : 1, before = *a, there = *b;

	if (w.dead[i])
		return false;
	if (before != APART && before + more < there)
		*b = before + more;
	if (there != APART && there + more < before)
		*a = there + more;
	return *a != before || *b != there;
}

static void measure(void)
{
	memset(w.length, 0xff, sizeof(w.length));
	for (uint32_t rack = 0; rack < w.racks; rack++) {
		bool more = true;
		w.length[rack][rack] = 0;
		while (more) {
			more = false;
			for (uint32_t i = 0; i < w.links; i++)
				more |= shorten(w.length[rack], i);
		}
	}
}

static void know_truth(void)
{
	w.truth.count = 0;
	for (uint32_t n = 0; n < w.switches; n++) {
		w.usable[n] = (UINT64_C(1) << (w.node[n].down_ports + w.node[n].up_ports)) - 1;
		w.drained[n] = 0;
	}
	for (uint32_t i = 0; i < w.links; i++) {
		if (!w.dead[i] && !w.spare[i])
			continue;
		drb_outages_add(&w.truth, &w.t,
				drb_outage_key(w.link[i].number,
					       w.dead[i] ? DRB_OUTAGE_DEAD : DRB_OUTAGE_SPARE),
				0);
		w.usable[w.link[i].low] &= ~(UINT64_C(1) << w.link[i].low_port);
		w.usable[w.link[i].high] &= ~(UINT64_C(1) << w.link[i].high_port);
		if (w.dead[i])
			continue;
		w.drained[w.link[i].low] |= UINT64_C(1) << w.link[i].low_port;
		w.drained[w.link[i].high] |= UINT64_C(1) << w.link[i].high_port;
	}
}

// The ports of a switch that lead nearer to a rack, by the naive model.
static uint64_t nearer(uint32_t n, uint32_t rack)
{
	const uint32_t *length = w.length[rack];
	uint64_t ports = 0;

	for (uint32_t i = 0; i < w.links; i++) {
		const struct link *l = &w.link[i];
		const uint32_t more = w.spare[i] ? DRB_ROUTES_SPARE : 1;
		if (w.dead[i] || length[n] == APART)
			continue;
		if (l->low == n && length[l->high] + more == length[n])
			ports |= UINT64_C(1) << l->low_port;
		if (l->high == n && length[l->low] + more == length[n])
			ports |= UINT64_C(1) << l->high_port;
	}
	return ports;
}

static int32_t decide(uint32_t n, struct drb_decision *d, struct drb_rng *r)
{
	struct drb_decider s = {.choice = {.ops = drb_scheme_ops(DRB_SCHEME_DRB),
					   .uplinks = w.node[n].up_ports,
					   .choices = 2,
					   .margin = 3}};
	const struct drb_usable_ports links = {.usable = w.usable[n],
					       .drained = w.drained[n],
					       .routes = w.truth.count ? w.via[n] : NULL,
					       .settled = true};
	uint32_t load[64];

	for (uint32_t u = 0; u < 64; u++)
		load[u] = drb_rng_below(r, 6);
	d->draw = drb_rng_next(r);
	return drb_decide(&s, &w.node[n], links, load, d);
}

// One decision, with any mark and any input port: it leads nearer, and the packet is marked if
// necessary.
static void decide_one(uint32_t n, uint32_t rack, struct drb_rng *r)
{
	const uint32_t downs = w.node[n].down_ports;
	const bool marked = drb_rng_below(r, 2);
	struct drb_decision d = {.dest = rack * w.t.arity,
				 .port = drb_rng_below(r, downs + w.node[n].up_ports),
				 .detour = marked ? DRB_DETOUR_ROUTED | 3 : 0};
	const bool below = drb_hop_below(&w.node[n].hop, d.dest);

	if (w.length[rack][n] == APART || (!marked && !below && d.port >= downs))
		return;
	int32_t out = decide(n, &d, r);
	assert_true(out >= 0);
	assert_true(nearer(n, rack) >> out & 1);
	const bool usual = below ? (uint32_t)out == drb_hop_digit(&w.node[n].hop, d.dest) &&
					   (uint32_t)out != d.port
				 : (uint32_t)out >= downs && d.port < downs;
	assert_int_equal(d.detour, marked  ? DRB_DETOUR_ROUTED | 4
				   : usual ? 0
					   : DRB_DETOUR_ROUTED | 1);
}

// The switch behind a port, and its port there.
static uint32_t cross(uint32_t n, uint32_t port, uint32_t *in)
{
	const struct drb_end at = w.place[n];
	const uint32_t downs = w.node[n].down_ports;
	const struct drb_end to =
		port < downs ? drb_tree_down_peer(&w.t, at.layer, at.label, port)
			     : drb_tree_up_peer(&w.t, at.layer, at.label, port - downs);
	const uint32_t next = first_of(to.layer) + to.label;

	*in = to.port + (to.up ? w.node[next].down_ports : 0);
	return next;
}

// A packet from rack to rack arrives without a mark if the naive model has a path.
static void walk(uint32_t from, uint32_t rack, struct drb_rng *r)
{
	struct drb_decision d = {.dest = rack * w.t.arity};
	uint32_t at = from, hops = 0;
	int32_t out;

	if (from == rack || w.length[rack][from] == APART)
		return;
	for (; at != rack; hops++) {
		assert_true(hops < DRB_ROUTED_HOPS_MAX);
		out = decide(at, &d, r);
		assert_true(out >= 0);
		at = cross(at, (uint32_t)out, &d.port);
	}
	assert_int_equal(decide(at, &d, r), 0);
	assert_int_equal(d.detour, 0);
	w.longest = hops > w.longest ? hops : w.longest;
}

static void check_all(struct drb_rng *r)
{
	know_truth();
	measure();
	for (uint32_t n = 0; n < w.switches; n++) {
		drb_routes_find(&w.routes[n], &w.truth, 0);
		for (uint32_t rack = 0; rack < w.racks; rack++) {
			w.via[n][rack] = drb_routes_to(&w.routes[n], rack);
			assert_true(w.via[n][rack] == nearer(n, rack));
			if (n != rack && w.truth.count)
				decide_one(n, rack, r);
		}
	}
	for (uint32_t from = 0; from < w.racks; from++)
		for (uint32_t rack = 0; rack < w.racks; rack++)
			walk(from, rack, r);
	memset(w.dead, 0, sizeof(w.dead));
	memset(w.spare, 0, sizeof(w.spare));
}

TEST(every_pair_and_triples)
{
	struct drb_rng r = drb_rng_seed(14, 1);

	// The last tree has two uplinks in layer 1.
	for (uint32_t arity = 2; arity <= 4; arity++) {
		uint32_t pairs = 0;
		begin_with(3, arity < 4 ? arity : 3, arity < 4 ? arity : 2);
		for (uint32_t a = 0; a < fault_count(); a++) {
			for (uint32_t b = a; b < fault_count(); b++, pairs++) {
				cut(a);
				cut(b);
				check_all(&r);
			}
		}
		for (uint32_t n = 0; n < 500; n++) {
			for (uint32_t i = 0; i < 3; i++)
				cut(drb_rng_below(&r, fault_count()));
			check_all(&r);
		}
		print_message("# F(3,%u), %u uplinks: %u pairs and single faults, 500 triples; "
			      "longest way %u links\n",
			      w.t.arity, w.t.uplinks, pairs, w.longest);
		end();
	}
}

// Some of several faults only make links spare. A spare link carries packets that have no other
// path, and such a path has as few spare links as possible.
TEST(spare_links)
{
	struct drb_rng r = drb_rng_seed(14, 4);

	for (uint32_t arity = 2; arity <= 3; arity++) {
		begin(3, arity);
		for (uint32_t n = 0; n < 500; n++) {
			for (uint32_t i = 0; i < 1 + n % 3; i++)
				take(w.spare, drb_rng_below(&r, fault_count()));
			for (uint32_t i = 0; i < n % 4; i++)
				cut(drb_rng_below(&r, fault_count()));
			check_all(&r);
		}
		end();
	}
}

// A switch that is reported as dead carries nothing, unless there is a sign of life. Its neighbours
// rely on their own links.
TEST(dead_or_alive)
{
	struct drb_outages o = {0};

	begin(3, 2);
	const uint32_t s2_0 = first_of(2), s1_7 = w.racks - 1;
	const uint32_t signs[] = {
		drb_outage_key(s2_0, DRB_OUTAGE_ALIVE),
		drb_outage_key(drb_outage_link(&w.t, 2, 0, 0), DRB_OUTAGE_DEAD),
		drb_outage_key(drb_outage_of_port(&w.t, 2, 0, 0), DRB_OUTAGE_DEAD_ABOVE),
	};
	drb_outages_add(&o, &w.t, drb_outage_key(s2_0, DRB_OUTAGE_DEAD), 0);
	drb_routes_find(&w.routes[s1_7], &o, 0);
	assert_int_equal(drb_routes_to(&w.routes[s1_7], 1), 8);
	drb_routes_find(&w.routes[1], &o, 0);
	assert_int_equal(drb_routes_to(&w.routes[1], s1_7), 4 | 8);
	drb_routes_find(&w.routes[1], &o, 4);
	assert_int_equal(drb_routes_to(&w.routes[1], s1_7), 8);
	for (uint32_t i = 0; i < 3; i++) {
		struct drb_outages alive = o;
		drb_outages_add(&alive, &w.t, signs[i], 0);
		drb_routes_find(&w.routes[s1_7], &alive, 0);
		assert_int_equal(drb_routes_to(&w.routes[s1_7], 1), 4 | 8);
	}
	end();
}

// Switches with contradictory views: a marked packet ends after a limited number of hops.
TEST(no_endless_way)
{
	struct drb_rng r = drb_rng_seed(14, 3);
	uint8_t mark = DRB_DETOUR_ROUTED;

	begin(3, 2);
	know_truth();
	memset(w.via, 0xff, sizeof(w.via));
	for (uint32_t hop = 0; hop < DRB_ROUTED_HOPS_MAX + 1; hop++) {
		struct drb_decider s = {.choice = {.ops = drb_scheme_ops(DRB_SCHEME_DRB),
						   .uplinks = 2,
						   .choices = 2,
						   .margin = 3}};
		const uint32_t load[64] = {0};
		struct drb_decision d = {
			.dest = 15, .port = 0, .draw = drb_rng_next(&r), .detour = mark};
		const struct drb_usable_ports links = {.usable = 0xf, .routes = w.via[0]};
		int32_t out = drb_decide(&s, &w.node[w.racks], links, load, &d);
		if (hop == DRB_ROUTED_HOPS_MAX)
			assert_int_equal(out, DRB_DETOUR_NO_ROUTE);
		else
			assert_true(out >= 0);
		mark = d.detour;
	}
	end();
}

// A fabric that is too large has no routes.
TEST(too_large)
{
	struct drb_tree t;
	struct drb_routes r;

	assert_int_equal(drb_tree_init(&t, 3, 24), 0);
	assert_int_equal(drb_routes_init(&r, &t, 1, 0), 0);
	assert_null(r.node);
	assert_int_equal(drb_tree_init(&t, 3, 16), 0);
	assert_int_equal(drb_routes_init(&r, &t, 1, 0), 0);
	assert_non_null(r.node);
	drb_routes_free(&r);
}

TEST_MAIN(NULL, NULL)
