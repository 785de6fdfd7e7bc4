// SPDX-License-Identifier: BSD-3-Clause
// Next hop and whole paths: every pair, every sequence of uplinks.
#include "fixtures/unit.h"

#include "core/fabric/next_hop.h"
#include "core/math/random.h"

#include "fixtures/model.h"

static const struct model small[] = {{1, 4, 0}, {2, 3, 0}, {3, 2, 0}, {3, 3, 0}, {4, 2, 0},
				     {2, 4, 3}, {3, 2, 1}, {3, 3, 2}, {3, 3, 1}, {4, 2, 1}};

// Returns the uplinks that a switch of this layer may use for dst, as a bit per port.
typedef uint32_t (*uplinks_fn)(void *arg, const struct drb_tree *t, struct drb_end at,
			       uint32_t dst);
typedef void (*path_fn)(void *arg, uint32_t src, uint32_t dst, const uint32_t ports[],
			uint32_t switches);

struct walk {
	const struct drb_tree *tree;
	uint32_t src, dst;
	uplinks_fn uplinks;
	path_fn arrived;
	void *arg;
	uint32_t ports[2 * DRB_LAYERS_MAX]; // port taken at each switch so far
	uint64_t paths;                     // how many arrived
};

// Follows the packet from switch `at`, along every uplink that it may take.
static void walk_from(struct walk *w, struct drb_end at, uint32_t switches, bool came_down)
{
	const struct drb_tree *t = w->tree;

	if (at.layer == 0) {
		assert_int_equal(at.label, w->dst);
		assert_int_equal(switches, 2 * drb_distance(t, w->src, w->dst) - 1);
		w->paths++;
		if (w->arrived)
			w->arrived(w->arg, w->src, w->dst, w->ports, switches);
		return;
	}
	assert_in_range(switches, 0, 2 * t->layers - 2); // no loop
	struct drb_hop hop = drb_hop_at(t, at.layer, at.label);
	if (drb_hop_below(&hop, w->dst)) {
		uint32_t port = drb_hop_digit(&hop, w->dst);
		assert_in_range(port, 0, drb_tree_down_ports(t, at.layer) - 1);
		w->ports[switches] = port;
		walk_from(w, drb_tree_down_peer(t, at.layer, at.label, port), switches + 1, true);
		return;
	}
	assert_false(came_down); // a packet never goes up after it went down
	uint32_t ports = w->uplinks(w->arg, t, at, w->dst);
	assert_int_not_equal(ports, 0);
	assert_int_equal(ports >> drb_tree_up_ports(t, at.layer), 0);
	for (uint32_t p = 0; p < drb_tree_up_ports(t, at.layer); p++) {
		if (ports >> p & 1) {
			w->ports[switches] = p;
			walk_from(w, drb_tree_up_peer(t, at.layer, at.label, p), switches + 1,
				  false);
		}
	}
}

// Walks all ordered pairs of t; returns the number of paths.
static uint64_t walk_all(const struct drb_tree *t, uplinks_fn uplinks, path_fn arrived, void *arg)
{
	struct walk w = {.tree = t, .uplinks = uplinks, .arrived = arrived, .arg = arg};

	for (w.src = 0; w.src < t->hosts; w.src++) {
		for (w.dst = 0; w.dst < t->hosts; w.dst++) {
			if (w.src != w.dst)
				walk_from(&w, drb_tree_host_peer(t, w.src), 0, false);
		}
	}
	return w.paths;
}

static uint32_t any_uplink(void *arg, const struct drb_tree *t, struct drb_end at, uint32_t dst)
{
	(void)arg, (void)dst;
	return (1u << drb_tree_up_ports(t, at.layer)) - 1;
}

// Every sequence of uplinks leads to the destination over 2k-1 switches. There are d^(k-1)
// sequences, or u d^(k-2).
TEST(every_uplink_sequence_arrives)
{
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		const struct model *m = &small[i];
		struct drb_tree t = tree_of(m);
		uint64_t expected = 0;

		for (uint32_t a = 0; a < t.hosts; a++) {
			for (uint32_t b = 0; b < t.hosts; b++) {
				uint32_t k = model_distance(m, a, b);
				if (k > 0)
					expected += k == 1 ? 1
							   : model_uplinks(m) *
								     model_power(m->d, k - 2);
			}
		}
		assert_int_equal(walk_all(&t, any_uplink, NULL, NULL), expected);
	}
}

// One uplink for every switch: D-mod-k.
static uint32_t dmodk_uplink(void *arg, const struct drb_tree *t, struct drb_end at, uint32_t dst)
{
	struct drb_hop hop = drb_hop_at(t, at.layer, at.label);

	(void)arg;
	return 1u << drb_hop_default(&hop, dst);
}

struct links {
	const struct drb_tree *tree;
	uint64_t *to; // see note_down_links()
};

// Notes the destinations of each down-link: one bit per host, at most 64 hosts.
static void note_down_links(void *arg, uint32_t src, uint32_t dst, const uint32_t ports[],
			    uint32_t switches)
{
	const struct drb_tree *t = ((struct links *)arg)->tree;
	uint64_t *to = ((struct links *)arg)->to;
	struct drb_end at = drb_tree_host_peer(t, src);

	for (uint32_t i = 0; i < switches; i++) {
		if (i < switches / 2) {
			at = drb_tree_up_peer(t, at.layer, at.label, ports[i]);
			continue;
		}
		to[(at.layer - 1) * 4 * t->hosts + at.label * 2 * t->arity + ports[i]] |=
			UINT64_C(1) << dst;
		at = drb_tree_down_peer(t, at.layer, at.label, ports[i]);
	}
}

// With u < d uplinks, D-mod-k sends over a down-link between switches packets to hosts of one rack
// with the same h_1 mod u. It carries packets to all such hosts, at most d / u, rounded up. A link
// to a host carries packets to that host only.
TEST(dmodk_down_links_carry_few_of_one_rack)
{
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		struct drb_tree t = tree_of(&small[i]);
		uint32_t most = 0, links = 4 * t.hosts * t.layers, d = t.arity, u = t.uplinks;
		struct links l = {.tree = &t, .to = calloc(links, sizeof(*l.to))};
		assert_true(t.hosts <= 64);
		walk_all(&t, dmodk_uplink, note_down_links, &l);
		for (uint32_t k = 0; k < links; k++) {
			uint64_t to = l.to[k];
			if (to == 0)
				continue;
			uint32_t first = (uint32_t)__builtin_ctzll(to);
			uint32_t count = (uint32_t)__builtin_popcountll(to);
			assert_true(k >= 4 * t.hosts || count == 1); // to a host
			assert_true(count <= (d + u - 1) / u);
			most = count > most ? count : most;
			for (uint32_t h = first; h < t.hosts; h++) {
				bool alike = h / d == first / d && (h - first) % u == 0;
				bool carried = to >> h & 1;
				assert_true(!carried || (t.layers > 1 && alike) || h == first);
				assert_true(carried || k < 4 * t.hosts || !alike);
			}
		}
		assert_int_equal(most, t.layers > 1 ? (d + u - 1) / u : 1);
		free(l.to);
	}
}

static void expect_example(void *arg, uint32_t src, uint32_t dst, const uint32_t ports[],
			   uint32_t switches)
{
	static const uint32_t path[] = {0, 1, 2, 1, 0}; // up (0,1), down (2,1,0)

	if (src == 4 && dst == 10) {
		assert_int_equal(switches, ARRAY_SIZE(path));
		assert_memory_equal(ports, path, sizeof(path));
		++*(int *)arg;
	}
}

// Host 4 = (1,0,0) to host 10 = (2,1,0) in F(3,2).
TEST(the_example_of_the_paper)
{
	static const uint32_t code4[] = {0, 0, 1}, code10[] = {0, 1, 2};
	struct drb_tree t = tree_of(&(struct model){3, 2, 0});
	uint32_t code[DRB_LAYERS_MAX];
	int met = 0;

	drb_host_code(&t, 4, code);
	assert_memory_equal(code, code4, sizeof(code4));
	drb_host_code(&t, 10, code);
	assert_memory_equal(code, code10, sizeof(code10));
	assert_int_equal(drb_distance(&t, 4, 10), 3);
	walk_all(&t, dmodk_uplink, expect_example, &met);
	assert_int_equal(met, 1);
}

// Checks the hop constants of one switch against the digits of one host.
static void check_hop(const struct model *m, const struct drb_tree *t, uint32_t layer,
		      uint32_t label, uint32_t host)
{
	struct drb_hop hop = drb_hop_at(t, layer, label);
	uint32_t digit[MODEL_DIGITS_MAX] = {0};

	model_digits(m, host, m->l, digit);
	assert_int_equal(drb_hop_digit(&hop, host), digit[layer]);
	if (layer < m->l)
		assert_int_equal(drb_hop_default(&hop, host),
				 digit[layer] % (layer == 1 ? model_uplinks(m) : m->d));
	assert_int_equal(drb_hop_below(&hop, host), model_below(m, layer, label, host));
	assert_int_equal(hop.span, layer == m->l ? t->hosts : model_power(m->d, layer));
}

TEST(hops_of_random_trees)
{
	struct drb_rng r = drb_rng_seed(3, 0);

	for (int i = 0; i < 100000; i++) {
		struct model m = {.l = 1 + drb_rng_below(&r, DRB_LAYERS_MAX)};
		struct drb_tree t;
		uint32_t top = (uint32_t)pow(DRB_HOSTS_MAX / 2.0, 1.0 / m.l);
		m.d = 1 + drb_rng_below(&r, top < DRB_ARITY_MAX ? top : DRB_ARITY_MAX);
		m.u = m.l > 1 && drb_rng_below(&r, 2) ? 1 + drb_rng_below(&r, m.d) : 0;
		if (drb_tree_init_uplinks(&t, m.l, m.d, model_uplinks(&m)) < 0)
			continue; // the root was rounded up
		uint32_t layer = 1 + drb_rng_below(&r, m.l);
		uint32_t s = drb_rng_below(&r, drb_tree_switches(&t, layer));
		struct drb_hop hop = drb_hop_at(&t, layer, s);
		check_hop(&m, &t, layer, s, drb_rng_below(&r, t.hosts));
		// Hosts at and around both edges of the range below the switch.
		check_hop(&m, &t, layer, s, hop.first);
		check_hop(&m, &t, layer, s, hop.first + hop.span - 1);
		check_hop(&m, &t, layer, s, (hop.first + hop.span) % t.hosts);
		check_hop(&m, &t, layer, s, (hop.first + t.hosts - 1) % t.hosts);
	}
}

TEST_MAIN(NULL, NULL)
