// SPDX-License-Identifier: BSD-3-Clause
// Labels, distance and wiring against the naive second model.
#include "fixtures/unit.h"

#include "core/math/random.h"
#include "core/fabric/tree.h"

#include "fixtures/model.h"

static const struct model small[] = {{1, 4, 0}, {2, 3, 0}, {3, 2, 0}, {3, 3, 0}, {4, 2, 0},
				     {1, 1, 0}, {3, 1, 0}, {2, 1, 0}, {2, 3, 1}, {2, 4, 3},
				     {3, 2, 1}, {3, 3, 2}, {3, 4, 3}, {4, 2, 1}, {4, 3, 2}};

TEST(sizes_match_the_definition)
{
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		const struct model *m = &small[i];
		struct drb_tree t = tree_of(m);
		uint64_t total = 0;

		assert_int_equal(t.hosts, model_hosts(m));
		for (uint32_t layer = 1; layer <= m->l; layer++) {
			bool core = layer == m->l;
			assert_int_equal(drb_tree_switches(&t, layer), model_switches(m, layer));
			assert_int_equal(drb_tree_down_ports(&t, layer), core ? 2 * m->d : m->d);
			assert_int_equal(drb_tree_up_ports(&t, layer), core ? 0
								       : layer == 1
									       ? model_uplinks(m)
									       : m->d);
			if (!core)
				assert_int_equal(drb_tree_links(&t),
						 drb_tree_switches(&t, layer) *
							 drb_tree_up_ports(&t, layer));
			total += model_switches(m, layer);
		}
		assert_int_equal(drb_tree_switches_total(&t), total);
	}
}

TEST(sizes_out_of_range_are_refused)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init(&t, 0, 2), -EINVAL);
	assert_int_equal(drb_tree_init(&t, 3, 0), -EINVAL);
	assert_int_equal(drb_tree_init(&t, DRB_LAYERS_MAX + 1, 1), -EINVAL);
	assert_int_equal(drb_tree_init(&t, 1, DRB_ARITY_MAX + 1), -EINVAL);
	assert_int_equal(drb_tree_init(&t, UINT32_MAX, UINT32_MAX), -EINVAL);
	assert_int_equal(drb_tree_init(&t, DRB_LAYERS_MAX, DRB_ARITY_MAX), -EOVERFLOW);
	assert_int_equal(drb_tree_init(&t, 2, DRB_ARITY_MAX), 0);
	// 2 * 812^3 < 2^30 < 2 * 813^3
	assert_int_equal(drb_tree_init(&t, 3, 812), 0);
	assert_int_equal(drb_tree_init(&t, 3, 813), -EOVERFLOW);
	assert_int_equal(drb_tree_init(&t, 14, 4), 0);
	assert_int_equal(drb_tree_init(&t, 15, 4), -EOVERFLOW);
	assert_int_equal(drb_tree_init_uplinks(&t, 3, 4, 0), -EINVAL);
	assert_int_equal(drb_tree_init_uplinks(&t, 3, 4, 5), -EINVAL);
	assert_int_equal(drb_tree_init_uplinks(&t, 1, 4, 2), -EINVAL); // there is no layer above
	assert_int_equal(drb_tree_init_uplinks(&t, 1, 4, 4), 0);
}

// Every digit, for every label of the small trees.
TEST(codes_match_the_digits)
{
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		const struct model *m = &small[i];
		struct drb_tree t = tree_of(m);
		uint32_t code[DRB_LAYERS_MAX], digit[MODEL_DIGITS_MAX];

		for (uint32_t h = 0; h < t.hosts; h++) {
			drb_host_code(&t, h, code);
			model_digits(m, h, m->l, digit);
			for (uint32_t k = 1; k <= m->l; k++) {
				assert_int_equal(code[k - 1], digit[k]);
				assert_in_range(code[k - 1], 0, (k == m->l ? 2 : 1) * m->d - 1);
			}
		}
		for (uint32_t layer = 1; layer <= m->l; layer++) {
			for (uint32_t s = 0; s < drb_tree_switches(&t, layer); s++) {
				drb_switch_code(&t, layer, s, code);
				model_switch_digits(m, layer, s, digit);
				for (uint32_t k = 1; k < m->l; k++) {
					bool twice = k == m->l - 1 && layer < m->l;
					bool fewer = k == 1 && layer > 1;
					uint32_t values = fewer ? model_uplinks(m) : m->d;
					assert_int_equal(code[k - 1], digit[k]);
					assert_in_range(code[k - 1], 0,
							(twice ? 2 : 1) * values - 1);
				}
			}
		}
	}
}

static void assert_end(struct drb_end e, uint32_t layer, uint32_t label, uint32_t port, bool up)
{
	assert_int_equal(e.layer, layer);
	assert_int_equal(e.label, label);
	assert_int_equal(e.port, port);
	assert_int_equal(e.up, up);
}

// All links between layers m-1 and m. The relation of the model holds for exactly the pairs that
// the peer functions name, and every port of both sides has exactly one link.
static void check_layer_links(const struct model *m, const struct drb_tree *t, uint32_t layer)
{
	uint32_t lows = drb_tree_switches(t, layer - 1), highs = drb_tree_switches(t, layer);
	uint32_t ups = drb_tree_up_ports(t, layer - 1), downs = drb_tree_down_ports(t, layer);
	uint8_t *low_used = calloc((size_t)lows * ups, 1);
	uint8_t *high_used = calloc((size_t)highs * downs, 1);
	uint32_t links = 0;

	for (uint32_t low = 0; low < lows; low++) {
		for (uint32_t high = 0; high < highs; high++) {
			uint32_t up, down;
			if (!model_wired(m, layer, low, high, &up, &down))
				continue;
			assert_in_range(up, 0, ups - 1);
			assert_in_range(down, 0, downs - 1);
			assert_end(drb_tree_up_peer(t, layer - 1, low, up), layer, high, down,
				   false);
			assert_end(drb_tree_down_peer(t, layer, high, down), layer - 1, low, up,
				   true);
			assert_int_equal(low_used[low * ups + up]++, 0);
			assert_int_equal(high_used[high * downs + down]++, 0);
			links++;
		}
	}
	assert_int_equal(links, lows * ups);
	assert_int_equal(links, highs * downs);
	free(low_used);
	free(high_used);
}

static void check_host_links(const struct model *m, const struct drb_tree *t)
{
	uint32_t switches = drb_tree_switches(t, 1), downs = drb_tree_down_ports(t, 1), links = 0;
	uint8_t *used = calloc((size_t)switches * downs, 1);

	for (uint32_t h = 0; h < t->hosts; h++) {
		for (uint32_t s = 0; s < switches; s++) {
			uint32_t port;
			if (!model_host_wired(m, s, h, &port))
				continue;
			assert_end(drb_tree_host_peer(t, h), 1, s, port, false);
			assert_end(drb_tree_down_peer(t, 1, s, port), 0, h, 0, true);
			assert_int_equal(used[s * downs + port]++, 0);
			links++;
		}
	}
	assert_int_equal(links, t->hosts);
	assert_int_equal(links, switches * downs);
	free(used);
}

TEST(wiring_is_the_formula_and_a_bijection)
{
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		struct drb_tree t = tree_of(&small[i]);
		check_host_links(&small[i], &t);
		for (uint32_t layer = 2; layer <= t.layers; layer++)
			check_layer_links(&small[i], &t, layer);
	}
}

// A random tree of any shape that the library accepts.
static struct model random_model(struct drb_rng *r)
{
	struct model m = {0};

	do {
		m.l = 1 + drb_rng_below(r, DRB_LAYERS_MAX);
		m.d = 1 + drb_rng_below(r, m.l == 1 ? DRB_ARITY_MAX : DRB_ARITY_MAX >> m.l / 2);
	} while (m.l * log2(m.d) > 40 || model_hosts(&m) > DRB_HOSTS_MAX);
	m.u = m.l > 1 && drb_rng_below(r, 2) ? 1 + drb_rng_below(r, m.d) : 0;
	return m;
}

static void check_random_labels(const struct model *m, struct drb_rng *r)
{
	struct drb_tree t = tree_of(m);
	uint32_t code[DRB_LAYERS_MAX], digit[MODEL_DIGITS_MAX], up, down;
	uint32_t a = drb_rng_below(r, t.hosts), b = drb_rng_below(r, t.hosts);
	uint32_t layer = 1 + drb_rng_below(r, t.layers);
	uint32_t s = drb_rng_below(r, drb_tree_switches(&t, layer));

	assert_int_equal(t.hosts, model_hosts(m));
	assert_int_equal(drb_distance(&t, a, b), model_distance(m, a, b));
	// Neighbouring labels have every distance often.
	assert_int_equal(drb_distance(&t, a, a ^ (a < t.hosts - 1)),
			 model_distance(m, a, a ^ (a < t.hosts - 1)));
	drb_host_code(&t, a, code);
	model_digits(m, a, m->l, digit);
	for (uint32_t k = 1; k <= m->l; k++)
		assert_int_equal(code[k - 1], digit[k]);
	drb_switch_code(&t, layer, s, code);
	model_switch_digits(m, layer, s, digit);
	for (uint32_t k = 1; k < m->l; k++)
		assert_int_equal(code[k - 1], digit[k]);

	struct drb_end e = drb_tree_host_peer(&t, a);
	assert_true(model_host_wired(m, e.label, a, &down));
	assert_end(e, 1, e.label, down, false);
	assert_end(drb_tree_down_peer(&t, 1, e.label, down), 0, a, 0, true);

	if (layer < t.layers) {
		uint32_t port = drb_rng_below(r, drb_tree_up_ports(&t, layer));
		e = drb_tree_up_peer(&t, layer, s, port);
		assert_in_range(e.label, 0, drb_tree_switches(&t, layer + 1) - 1);
		assert_true(model_wired(m, layer + 1, s, e.label, &up, &down));
		assert_int_equal(up, port);
		assert_end(e, layer + 1, e.label, down, false);
		assert_end(drb_tree_down_peer(&t, layer + 1, e.label, e.port), layer, s, port,
			   true);
	}
}

TEST(random_trees_match_the_model)
{
	struct drb_rng r = drb_rng_seed(2, 0);
	uint32_t large = 0;

	for (int i = 0; i < 20000; i++) {
		struct model m = random_model(&r);
		large += model_hosts(&m) > DRB_HOSTS_MAX / 2;
		for (int k = 0; k < 10; k++)
			check_random_labels(&m, &r);
	}
	assert_true(large > 20); // the sample reaches the limit
}

TEST_MAIN(NULL, NULL)
