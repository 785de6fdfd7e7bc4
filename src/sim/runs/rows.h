// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Figures of the flow and the packet model as rows of a table.

#include "common/cli/table.h"

#include "sim/models/flow.h"
#include "sim/models/packet.h"

// The last column of tables about fabrics is of their uplinks in layer 1. Where these are d it is left out, as its
// cells are: a table has so many columns.
#define SIM_COLUMN_UPLINKS                                                                         \
	{                                                                                          \
		"uplinks", "u", DRB_COUNT, 0                                                       \
	}
static inline uint32_t sim_columns(const struct drb_tree *t, size_t all)
{
	return (uint32_t)all - (t->uplinks == t->arity);
}
// Before it tables have the tree: settings stand behind results, which a narrow terminal is to show.
#define SIM_COLUMNS_TREE                                                                           \
	{"layers", "l", DRB_COUNT, 0},                                                             \
	{                                                                                          \
		"arity", "d", DRB_COUNT, 0                                                         \
	}
#define SIM_TABLE(common, tree, columns)                                                           \
	drb_table_new(stdout, (common).format, columns,                                            \
		      sim_columns(tree, sizeof(columns) / sizeof((columns)[0])))
// Cells of such tables: that of the threshold is nothing without one.
void sim_put_tree(struct drb_table *table, const struct drb_tree *t);
void sim_put_threshold(struct drb_table *table, enum drb_scheme scheme, double threshold);
void sim_put_uplinks(struct drb_table *table, const struct drb_tree *t);

struct drb_table *sim_flow_table(FILE *out, enum drb_format format, const struct drb_tree *t);
void sim_flow_row(struct drb_table *table, const struct drb_flow_setup *setup,
		  const struct drb_flow_summary *summary, uint32_t runs);

// Columns of the packet model: a fixed part, then two per kind of queue; with the detail another fixed
// part and two per kind of link; settings.
#define SIM_PACKET_FIXED 8
#define SIM_PACKET_SETTINGS 4
#define SIM_PACKET_DETAIL 7
#define SIM_PACKET_ADDED 5 // at most, by those who print it
#define SIM_PACKET_LAYER 8 // keys that are made for a layer

struct sim_packet_layout {
	struct drb_column column[SIM_PACKET_FIXED + SIM_PACKET_DETAIL + SIM_PACKET_SETTINGS +
				 SIM_PACKET_ADDED + SIM_PACKET_LAYER * DRB_LAYERS_MAX];
	char key[SIM_PACKET_LAYER * DRB_LAYERS_MAX][24];
	uint32_t count, keys;
};

// *layout must outlive the tables that use its columns.
void sim_packet_lay_out(struct sim_packet_layout *layout, uint32_t layers, bool detail);
// With the detail if the setup asks for it.
void sim_packet_row(struct drb_table *table, const struct drb_packet_setup *setup,
		    const struct drb_packet_result *result);
