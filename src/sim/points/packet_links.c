// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/packet_links.h"

#include <errno.h>
#include <stdlib.h>

#define AT(field) offsetof(struct sim_link_row, field)

const struct sim_column sim_link_columns[] = {
	{"layer", SIM_U32, .at = AT(layer)},
	{"switch", SIM_TEXT, .at = AT(name)},
	{"port", SIM_TEXT, .at = AT(port)},
	{"peer", SIM_TEXT, .at = AT(peer)},
	{"use", SIM_REAL, .at = AT(use), 3, .help = "share of slots in use"},
	{"queue_mean", SIM_REAL, .at = AT(queue_mean), 2, .unit = "packets"},
	{"queue_max", SIM_U32, .at = AT(queue_max), .unit = "packets"},
	{"growing", SIM_NAME, .at = AT(growing)},
	{0},
};

static int longest_first(const void *a, const void *b)
{
	const struct sim_link_row *x = a, *y = b;

	return (x->queue_mean < y->queue_mean) - (x->queue_mean > y->queue_mean);
}

static void name_link(const struct drb_tree *t, const struct drb_link_figures *link,
		      struct sim_link_row *row)
{
	const struct drb_end from = link->from;
	struct drb_end peer = from.up ? drb_tree_up_peer(t, from.layer, from.label, from.port)
				      : drb_tree_down_peer(t, from.layer, from.label, from.port);

	*row = (struct sim_link_row){.layer = from.layer,
				     .use = link->use,
				     .queue_mean = link->queue_mean,
				     .queue_max = link->queue_max,
				     .growing = drb_growth_word(link->growing)};
	drb_node_name(row->name, from.layer, from.label);
	drb_end_port(row->port, &from);
	drb_end_name(row->peer, &peer);
}

int sim_list_links(const struct drb_tree *t, const struct drb_packet_sim *sim,
		   struct sim_outcome *out)
{
	const uint64_t count = drb_packet_links(t);
	struct sim_link_row *row = calloc(count, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		const struct drb_link_figures link = drb_packet_link(sim, i);
		name_link(t, &link, &row[i]);
	}
	qsort(row, count, sizeof(*row), longest_first);
	out->part[0].rows = row;
	out->part[0].count = count;
	return 0;
}
