// SPDX-License-Identifier: BSD-3-Clause
// The wiring of a fat-tree as a model of the engine: the other end of each port, as switches
// compute it.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/fabric/next_hop.h"

#include "common/cli/log.h"

#include "sim/points/models.h"

struct tree_point {
	uint32_t layers, arity;
	bool down;
	struct drb_tree tree; // valid after the check
};

struct tree_row {
	struct sim_reals host;
	struct sim_reals up[DRB_LAYERS_MAX + 1], up_port[DRB_LAYERS_MAX + 1],
		down[DRB_LAYERS_MAX + 1], defaults[DRB_LAYERS_MAX + 1];
};

#define AT(field) offsetof(struct tree_point, field)

static const struct drb_option options[] = {
	{"--layers", "L", "Layers of switches of the fat-tree F(l,d)", .kind = DRB_OPTION_U32,
	 AT(layers), 1, DRB_LAYERS_MAX, .letter = 'l', .initial = "3"},
	{"--arity", "D", "Arity: switches have 2d ports", .kind = DRB_OPTION_U32, AT(arity), 1,
	 DRB_ARITY_MAX, .letter = 'd', .initial = "2"},
	{"--down", NULL, "Also where down-ports lead", .kind = DRB_OPTION_FLAG, AT(down)},
	{0},
};

static const struct sim_set sets[] = {
	{options, 0},
	{.options = NULL},
};

static bool is_down_asked(const void *point)
{
	return ((const struct tree_point *)point)->down;
}

static const struct sim_column columns[] = {
	{"layers", SIM_U32, .at = AT(layers), .of_point = true},
	{"arity", SIM_U32, .at = AT(arity), .of_point = true},
#undef AT
#define AT(field) offsetof(struct tree_row, field)
#define STRIDE sizeof(struct sim_reals)
	{"host", SIM_REALS, .at = AT(host), .help = "label of the switch of each host"},
	{"up%u", SIM_REALS, .at = AT(up), .each = SIM_UP, .stride = STRIDE,
	 .help = "label of the switch above, by label and up-port of layer M"},
	{"up_port%u", SIM_REALS, .at = AT(up_port), .each = SIM_UP, .stride = STRIDE,
	 .help = "its down-port"},
	{"defaults%u", SIM_REALS, .at = AT(defaults), .each = SIM_UP, .stride = STRIDE,
	 .unit = "hosts",
	 .help = "above which a switch in the middle of layer M has each up-port as default"},
	{"down%u", SIM_REALS, .at = AT(down), .each = SIM_DOWN, .stride = STRIDE,
	 .help = "label of the switch or host below, by label and down-port of layer M",
	 .shown = is_down_asked},
	{0},
};

static void tree_point_check(void *point)
{
	struct tree_point *p = point;

	if (drb_tree_init(&p->tree, p->layers, p->arity) < 0)
		drb_die("--arity %u: F(%u,%u) has more than %u hosts", p->arity, p->layers,
			p->arity, DRB_HOSTS_MAX);
}

// Takes `count` values from the row's memory, and moves *end on.
static struct sim_reals reals_take(double **end, uint32_t count)
{
	const struct sim_reals list = {*end, count};

	*end += count;
	return list;
}

static double *put_up(const struct drb_tree *t, uint32_t m, double *end, struct tree_row *row)
{
	const uint32_t count = drb_tree_switches(t, m) * t->arity;
	double *label = end, *port = end + count;

	end = port + count;
	row->up[m] = (struct sim_reals){label, count};
	row->up_port[m] = (struct sim_reals){port, count};
	for (uint32_t i = 0; i < count; i++) {
		const struct drb_end peer = drb_tree_up_peer(t, m, i / t->arity, i % t->arity);
		label[i] = peer.label;
		port[i] = peer.port;
	}
	return end;
}

static double *put_down(const struct drb_tree *t, uint32_t m, double *end, struct tree_row *row)
{
	const uint32_t ports = drb_tree_down_ports(t, m);
	double *label = end;

	row->down[m] = reals_take(&end, drb_tree_switches(t, m) * ports);
	for (uint32_t i = 0; i < row->down[m].count; i++)
		label[i] = drb_tree_down_peer(t, m, i / ports, i % ports).label;
	return end;
}

static double *put_defaults(const struct drb_tree *t, uint32_t m, double *end, struct tree_row *row)
{
	const struct drb_hop hop = drb_hop_at(t, m, drb_tree_switches(t, m) / 2);
	double *hosts = end;

	row->defaults[m] = reals_take(&end, t->arity);
	for (uint32_t to = 0; to < t->hosts; to++) {
		if (!drb_hop_below(&hop, to))
			hosts[drb_hop_default(&hop, to)]++;
	}
	return end;
}

static int tree_point_run(const void *point, struct sim_outcome *out)
{
	const struct tree_point *p = point;
	const struct drb_tree *t = &p->tree;
	struct tree_row *row = out->row;
	// Every layer of links has as many links as there are hosts.
	const size_t lists = 1 + 2 * (t->layers - 1) + t->layers;
	double *end = calloc(lists * t->hosts + (size_t)t->layers * t->arity, sizeof(*end));

	out->owned[0] = end;
	if (!end)
		return -ENOMEM;
	double *host = end;
	row->host = reals_take(&end, t->hosts);
	for (uint32_t h = 0; h < t->hosts; h++)
		host[h] = drb_tree_host_peer(t, h).label;
	for (uint32_t m = 1; m < t->layers; m++) {
		end = put_up(t, m, end, row);
		end = put_defaults(t, m, end, row);
	}
	for (uint32_t m = 1; m <= t->layers; m++)
		end = put_down(t, m, end, row);
	return 0;
}

static uint32_t layers_of(const void *point)
{
	return ((const struct tree_point *)point)->layers;
}

const struct sim_model sim_tree_model = {
	.name = "tree",
	.help = "the wiring of a fat-tree",
	.sets = sets,
	.size = sizeof(struct tree_point),
	.columns = columns,
	.row_size = sizeof(struct tree_row),
	.check = tree_point_check,
	.run = tree_point_run,
	.layers = layers_of,
};
