// SPDX-License-Identifier: BSD-3-Clause
// The wiring of fat-trees as the switch has it: the peers of all ports, those of a layer in the order of labels and
// ports, and the defaults of one switch of each layer.
#include "core/fabric/next_hop.h"

#include "sim/paper/points.h"
#include "sim/paper/results.h"

// Above this, what leads down is left out.
#define SMALL 200

enum peers { UP, UP_PORT, DOWN };

static uint32_t peer(const struct drb_tree *t, enum peers peers, uint32_t m, const uint32_t at[2])
{
	struct drb_end end = peers == DOWN ? drb_tree_down_peer(t, m, at[0], at[1])
					   : drb_tree_up_peer(t, m, at[0], at[1]);

	return peers == UP_PORT ? end.port : end.label;
}

static void put_peers(FILE *f, const struct drb_tree *t, const char *key, enum peers peers)
{
	fprintf(f, ",\"%s\":[", key);
	for (uint32_t m = 1; m < t->layers + (peers == DOWN); m++) {
		uint32_t ports = peers == DOWN ? drb_tree_down_ports(t, m) : t->arity;
		fputs(m > 1 ? ",[" : "[", f);
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
			for (uint32_t port = 0; port < ports; port++)
				fprintf(f, "%s%u", s || port ? "," : "",
					peer(t, peers, m, (const uint32_t[]){s, port}));
		}
		fputc(']', f);
	}
	fputc(']', f);
}

// Of the hosts that are not below a switch in the middle of each layer: how many have each uplink for their default.
static void put_defaults(FILE *f, const struct drb_tree *t)
{
	fputs(",\"defaults\":[", f);
	for (uint32_t m = 1; m < t->layers; m++) {
		struct drb_hop hop = drb_hop_at(t, m, drb_tree_switches(t, m) / 2);
		uint32_t of[DRB_ARITY_MAX] = {0};
		for (uint32_t to = 0; to < t->hosts; to++) {
			if (!drb_hop_below(&hop, to))
				of[drb_hop_default(&hop, to)]++;
		}
		for (uint32_t u = 0; u < t->arity; u++)
			fprintf(f, "%s%u", u ? "," : m > 1 ? ",[" : "[", of[u]);
		fputc(']', f);
	}
	fputc(']', f);
}

void paper_put_trees(FILE *f)
{
	static const uint32_t trees[][2] = {{3, 2}, {3, 3},  {4, 2}, {3, 4},
					    {4, 3}, {3, 24}, {4, 12}};

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		struct drb_tree t;
		drb_tree_init(&t, trees[i][0], trees[i][1]);
		paper_put_kind(f, "tree");
		PAPER_PUT(f, "layers arity hosts", t.layers, t.arity, t.hosts);
		fputs(",\"host\":[", f);
		for (uint32_t h = 0; h < t.hosts; h++)
			fprintf(f, "%s%u", h ? "," : "", drb_tree_host_peer(&t, h).label);
		fputc(']', f);
		put_peers(f, &t, "up", UP);
		put_peers(f, &t, "up_port", UP_PORT);
		if (t.hosts < SMALL)
			put_peers(f, &t, "down", DOWN);
		put_defaults(f, &t);
		fputs("}\n", f);
	}
}
