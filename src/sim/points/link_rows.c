// SPDX-License-Identifier: BSD-3-Clause
#include "sim/points/link_rows.h"

#include <errno.h>
#include <stdlib.h>

#define AT(field) offsetof(struct sim_link_row, field)

// clang-format off
#define LINK_COLUMNS                                                                               \
	{"layer", SIM_U32, .at = AT(layer)},                                                       \
	{"switch", SIM_TEXT, .at = AT(name)},                                                      \
	{"port", SIM_TEXT, .at = AT(port)},                                                        \
	{"peer", SIM_TEXT, .at = AT(peer)},                                                        \
	{"use", SIM_REAL, .at = AT(use), 3, .help = "share of slots in use"},                      \
	{"queue_mean", SIM_REAL, .at = AT(queue_mean), 2, .unit = "packets"},                      \
	{"queue_max", SIM_U32, .at = AT(queue_max), .unit = "packets"}
// clang-format on

const struct sim_column sim_packet_link_columns[] = {
	LINK_COLUMNS,
	{"growing", SIM_NAME, .at = AT(growing)},
	{0},
};

const struct sim_column sim_transfer_link_columns[] = {
	LINK_COLUMNS,
	{"refused", SIM_WHOLE, .at = AT(refused), .unit = "packets",
	 .help = "that found the queue full: dropped, or with --trim trimmed"},
	{0},
};

static int longest_first(const void *a, const void *b)
{
	const struct sim_link_row *x = a, *y = b;

	return (x->queue_mean < y->queue_mean) - (x->queue_mean > y->queue_mean);
}

static void fill_row(const struct drb_tree *t, const struct drb_link_figures *link,
		     struct sim_link_row *row)
{
	const struct drb_end from = link->from;
	struct drb_end peer = from.up ? drb_tree_up_peer(t, from.layer, from.label, from.port)
				      : drb_tree_down_peer(t, from.layer, from.label, from.port);

	*row = (struct sim_link_row){.layer = from.layer,
				     .use = link->use,
				     .queue_mean = link->queue_mean,
				     .queue_max = link->queue_max,
				     .refused = link->refused,
				     .growing = drb_growth_word(link->growing)};
	drb_node_name(row->name, from.layer, from.label);
	drb_end_port(row->port, &from);
	drb_end_name(row->peer, &peer);
}

int sim_put_packet_links(const struct drb_tree *t, const struct drb_packet_sim *sim,
			 struct sim_outcome *out, uint32_t part)
{
	struct drb_link_table links = {.count = drb_packet_links(t)};

	links.link = malloc(links.count * sizeof(*links.link));
	if (!links.link)
		return -ENOMEM;
	for (uint64_t i = 0; i < links.count; i++)
		links.link[i] = drb_packet_link(sim, i);
	int rc = sim_put_transfer_links(t, &links, out, part);
	free(links.link);
	return rc;
}

int sim_put_transfer_links(const struct drb_tree *t, const struct drb_link_table *links,
			   struct sim_outcome *out, uint32_t part)
{
	struct sim_link_row *row = calloc(links->count, sizeof(*row));

	if (!row)
		return -ENOMEM;
	for (uint64_t i = 0; i < links->count; i++)
		fill_row(t, &links->link[i], &row[i]);
	qsort(row, links->count, sizeof(*row), longest_first);
	out->part[part].rows = row;
	out->part[part].count = links->count;
	return 0;
}
