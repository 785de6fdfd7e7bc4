// SPDX-License-Identifier: BSD-3-Clause
// Claims about the fat-tree and D-mod-k, judged on the wiring itself: exact.
#include "sim/paper/claims_judge.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/log.h"

#include "sim/paper/points.h"

// The D-mod-k way between two hosts.
struct way {
	uint32_t k;                                                // layer it turns at
	uint32_t up[DRB_LAYERS_MAX + 1], down[DRB_LAYERS_MAX + 1]; // ports, [layer]
	uint32_t at[DRB_LAYERS_MAX + 1];                           // switches going down, [layer]
};

static struct way way_between(const struct drb_tree *t, uint32_t from, uint32_t to)
{
	struct way way = {.k = drb_distance(t, from, to)};
	uint32_t s = drb_tree_host_peer(t, from).label;

	for (uint32_t m = 1; m < way.k; m++) {
		way.up[m] = drb_host_digit(t, to, m);
		s = drb_tree_up_peer(t, m, s, way.up[m]).label;
	}
	for (uint32_t m = way.k; m >= 1; m--) {
		way.down[m] = drb_host_digit(t, to, m);
		way.at[m] = s;
		s = drb_tree_down_peer(t, m, s, way.down[m]).label;
	}
	return way;
}

void judge_example(const struct paper *p, struct paper_judgement *j)
{
	static const uint32_t up[] = {0, 0, 1}, down[] = {0, 0, 1, 2};
	struct drb_tree t;

	(void)p;
	drb_tree_init(&t, 3, 2);
	struct way way = way_between(&t, 4, 10);
	claim_add_exact(j, way.k == 3 ? 1 : -1, "the layer it turns at");
	for (uint32_t m = 1; m <= 3; m++) {
		if (m < 3)
			claim_add_exact(j, way.up[m] == up[m] ? 1 : -1, "up");
		claim_add_exact(j, way.down[m] == down[m] ? 1 : -1, "down");
	}
}

void judge_core_0(const struct paper *p, struct paper_judgement *j)
{
	struct drb_tree t;

	(void)p;
	drb_tree_init(&t, 3, 2);
	for (uint32_t to = 0; to < t.hosts; to++) {
		struct way way = way_between(&t, (to + t.hosts / 2) % t.hosts, to);
		bool mapped = way.at[3] == 0, said = to % 4 == 0;
		claim_add_exact(j, mapped == said ? 1 : -1, "F(3,2)");
	}
}

static void judge_disjoint_in(struct paper_judgement *j, uint32_t layers, uint32_t arity)
{
	struct drb_tree t;
	char where[64];

	drb_tree_init(&t, layers, arity);
	uint32_t ports = 2 * arity, links = (layers + 1) * drb_tree_switches(&t, 1) * ports;
	uint32_t *host = malloc(links * sizeof(*host)); // whose ways a down-link is on
	bool shared = false;
	if (!host)
		drb_die("not enough memory");
	for (uint32_t i = 0; i < links; i++)
		host[i] = DRB_NO_LABEL;
	for (uint32_t from = 0; from < t.hosts; from++) {
		for (uint32_t to = 0; to < t.hosts; to++) {
			struct way way = way_between(&t, from, to);
			for (uint32_t m = way.k; m >= 1; m--) {
				uint32_t *of =
					&host[(m * drb_tree_switches(&t, 1) + way.at[m]) * ports +
					      way.down[m]];
				shared |= *of != DRB_NO_LABEL && *of != to;
				*of = to;
			}
		}
	}
	free(host);
	snprintf(where, sizeof(where), "F(%u,%u)", layers, arity);
	claim_add_exact(j, shared ? -1 : 1, where);
}

void judge_disjoint(const struct paper *p, struct paper_judgement *j)
{
	(void)p;
	judge_disjoint_in(j, 3, 4);
	judge_disjoint_in(j, 4, 3);
}

// An uplink of layer m is the default of those who are below its switch and send to hosts with the m
// lowest digits that lead there: d^m and 2 d^(l-m) of them, and any pairs of these are of some
// permutation.
void judge_worst_permutation(const struct paper *p, struct paper_judgement *j)
{
	(void)p;
	for (int i = 0; i < 2; i++) {
		struct drb_tree t;
		uint32_t most = 0;
		char where[64];
		drb_tree_init(&t, paper_trees[i][0], paper_trees[i][1]);
		for (uint32_t m = 1; m < t.layers; m++) {
			uint32_t from = t.pow[m], to = t.hosts / t.pow[m];
			uint32_t pairs = from < to ? from : to;
			most = pairs > most ? pairs : most;
		}
		snprintf(where, sizeof(where), "F(%u,%u): %u pairs, sqrt(N) = %.0f", t.layers,
			 t.arity, most, sqrt(t.hosts));
		claim_add_exact(j, most / sqrt(t.hosts) - 0.5, where);
	}
}
