// SPDX-License-Identifier: BSD-3-Clause
// Claims about labels, wiring and ways of the fat-tree, judged on the wiring itself: exact.
#include "sim/paper/claims_judge.h"

#include <stdlib.h>

#include "common/cli/log.h"

#include "core/fabric/next_hop.h"

#include "sim/paper/points.h"

static void add_tree(struct paper_judgement *j, const struct drb_tree *t, bool holds)
{
	char where[64];

	snprintf(where, sizeof(where), "F(%u,%u)", t->layers, t->arity);
	claim_add_exact(j, holds ? 1 : -1, where);
}

// How many switches of the layer above those of this one lead to, by all their up-ports; at layer 0
// all hosts by their only link.
static uint32_t count_above(const struct drb_tree *t, uint32_t layer)
{
	uint32_t most = 2 * t->pow[t->layers - 1], count = 0;
	uint32_t ends = layer ? drb_tree_switches(t, layer) : t->hosts;
	bool *seen = calloc(most, sizeof(*seen));

	if (!seen)
		drb_die("not enough memory");
	for (uint32_t s = 0; s < ends; s++) {
		for (uint32_t u = 0; u < (layer ? t->arity : 1); u++) {
			uint32_t to = layer ? drb_tree_up_peer(t, layer, s, u).label
					    : drb_tree_host_peer(t, s).label;
			count += !seen[to];
			seen[to] = true;
		}
	}
	free(seen);
	return count;
}

void judge_counts(const struct paper *p, struct paper_judgement *j)
{
	(void)p;
	for (int i = 0; i < 2; i++) {
		struct drb_tree t;
		drb_tree_init(&t, paper_trees[i][0], paper_trees[i][1]);
		uint32_t power = 1;
		for (uint32_t m = 1; m < t.layers; m++)
			power *= t.arity;
		add_tree(j, &t, t.hosts == 2 * power * t.arity);
		for (uint32_t m = 1; m <= t.layers; m++) {
			uint32_t switches = count_above(&t, m - 1);
			add_tree(j, &t, switches == (m < t.layers ? 2 : 1) * power);
			// N links up from each layer, and as many down to it.
			add_tree(j, &t,
				 switches * drb_tree_down_ports(&t, m) == t.hosts &&
					 (m == t.layers || switches * t.arity == t.hosts));
		}
	}
}

// Codes without one digit are equal.
static bool is_alike_but(const uint32_t a[], const uint32_t b[], uint32_t digits, uint32_t but)
{
	bool alike = true;

	for (uint32_t i = 1; i <= digits; i++)
		alike &= i == but || a[i - 1] == b[i - 1];
	return alike;
}

void judge_wiring(const struct paper *p, struct paper_judgement *j)
{
	uint32_t below[DRB_LAYERS_MAX], above[DRB_LAYERS_MAX];

	(void)p;
	for (int i = 0; i < 2; i++) {
		struct drb_tree t;
		bool holds = true;
		drb_tree_init(&t, paper_trees[i][0], paper_trees[i][1]);
		for (uint32_t m = 2; m <= t.layers; m++) {
			for (uint32_t s = 0; s < drb_tree_switches(&t, m - 1); s++) {
				drb_switch_code(&t, m - 1, s, below);
				for (uint32_t u = 0; u < t.arity; u++) {
					struct drb_end end = drb_tree_up_peer(&t, m - 1, s, u);
					drb_switch_code(&t, m, end.label, above);
					holds &= end.layer == m && u == above[m - 2] &&
						 end.port == below[m - 2] &&
						 is_alike_but(below, above, t.layers - 1, m - 1);
				}
			}
		}
		add_tree(j, &t, holds);
	}
}

// Ways from a switch down to a host.
static uint32_t ways_down(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t to)
{
	uint32_t ways = 0;

	if (layer == 0)
		return label == to;
	for (uint32_t port = 0; port < drb_tree_down_ports(t, layer); port++)
		ways += ways_down(t, layer - 1, drb_tree_down_peer(t, layer, label, port).label,
				  to);
	return ways;
}

// The host to which the digits of `to` lead down.
static uint32_t down_by_digits(const struct drb_tree *t, uint32_t layer, uint32_t label,
			       uint32_t to)
{
	for (uint32_t m = layer; m >= 1; m--)
		label = drb_tree_down_peer(t, m, label, drb_host_digit(t, to, m)).label;
	return label;
}

// Up by the digits of `way`: no switch below layer k leads down to the host; at layer k there is one way,
// that of its digits.
static bool turns_right(const struct drb_tree *t, uint32_t from, uint32_t to, uint32_t way)
{
	uint32_t k = drb_distance(t, from, to), s = drb_tree_host_peer(t, from).label;
	bool holds = true;

	for (uint32_t m = 1; m < k; m++, way /= t->arity) {
		holds &= ways_down(t, m, s, to) == 0;
		s = drb_tree_up_peer(t, m, s, way % t->arity).label;
	}
	return holds && ways_down(t, k, s, to) == 1 && down_by_digits(t, k, s, to) == to;
}

void judge_ways_down(const struct paper *p, struct paper_judgement *j)
{
	static const uint32_t trees[][2] = {{3, 2}, {3, 3}, {4, 2}};

	(void)p;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		struct drb_tree t;
		bool holds = true;
		drb_tree_init(&t, trees[i][0], trees[i][1]);
		for (uint32_t from = 0; from < t.hosts; from++) {
			for (uint32_t to = 0; to < t.hosts; to++) {
				uint32_t ways =
					to == from ? 0 : t.pow[drb_distance(&t, from, to) - 1];
				for (uint32_t way = 0; way < ways; way++)
					holds &= turns_right(&t, from, to, way);
			}
		}
		add_tree(j, &t, holds);
	}
}

// Of the hosts that are not below a switch as many have each of its uplinks as their default.
void judge_defaults(const struct paper *p, struct paper_judgement *j)
{
	(void)p;
	for (int i = 0; i < 2; i++) {
		struct drb_tree t;
		uint32_t of[DRB_ARITY_MAX];
		drb_tree_init(&t, paper_trees[i][0], paper_trees[i][1]);
		for (uint32_t m = 1; m < t.layers; m++) {
			struct drb_hop hop = drb_hop_at(&t, m, drb_tree_switches(&t, m) / 2);
			bool holds = true;
			for (uint32_t u = 0; u < t.arity; u++)
				of[u] = 0;
			for (uint32_t to = 0; to < t.hosts; to++) {
				if (to - hop.first >= hop.span)
					of[drb_hop_default(&hop, to)]++;
			}
			for (uint32_t u = 0; u < t.arity; u++)
				holds &= of[u] == (t.hosts - t.pow[m]) / t.arity;
			add_tree(j, &t, holds);
		}
	}
}
