// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Labels, label codes, distance and wiring of the fat-tree F(l,d).
// Paper: "Fat-tree Topology and its Routing properties".
// Pure: no I/O, no allocation. A label is the number of a host or switch in its layer, counted from
// 0. A label code is the vector of its digits. Digits are numbered from 1 as in the paper.
// Oversubscribed fat-trees go beyond the paper. Switches of layer 1 have u < d uplinks. Switches
// above do not exist if only the missing uplinks would reach them. Digit 1 of a switch above layer
// 1 is then in [0,u), and labels number the remaining switches (docs/guide/oversubscription.md).

#include <stdbool.h>
#include <stdint.h>

#include "core/math/divide.h"

#include "drb/tree.h"

struct drb_tree {
	uint32_t layers;   // l
	uint32_t arity;    // d
	uint32_t uplinks;  // u, number of uplinks in layer 1, at most d
	uint32_t hosts;    // N = 2 d^l
	uint32_t switches; // number of switches in all layers
	uint32_t links;    // number of links from each layer below the core to the next
	uint32_t pow[DRB_LAYERS_MAX + 1];  // pow[i] = d^i, i = 0..l
	struct drb_div by[DRB_LAYERS_MAX]; // by[i] divides by d^i, i = 0..l-1
	struct drb_div by_arity;           // divides by d
	// Place values of the digits of switches above layer 1: above[0] = 1, above[i] = u d^(i-1),
	// i = 1..l-1.
	uint32_t above[DRB_LAYERS_MAX];
	struct drb_div by_above[DRB_LAYERS_MAX];
};

// Returns 0; -EINVAL if l or d is 0 or above its limit; -EOVERFLOW if N exceeds DRB_HOSTS_MAX.
int drb_tree_init(struct drb_tree *t, uint32_t layers, uint32_t arity);
// The same with this number of uplinks of layer-1 switches. -EINVAL also if it is 0 or more than d,
// or if it is not d in a tree of one layer.
int drb_tree_init_uplinks(struct drb_tree *t, uint32_t layers, uint32_t arity, uint32_t uplinks);

// Number of links from each layer below the core to the next one: N u / d.
uint32_t drb_tree_links(const struct drb_tree *t);
// Load of the uplinks if the host links have this load and no packet stays in its rack: d/u times
// `load`.
double drb_tree_uplink_load(const struct drb_tree *t, double load);

// Digit h_i of a host label, 1 <= i <= l. h_l is in [0,2d), the others in [0,d).
static inline uint32_t drb_host_digit(const struct drb_tree *t, uint32_t host, uint32_t i)
{
	uint32_t q = drb_div(host, &t->by[i - 1]);
	return i == t->layers ? q : q - drb_div(q, &t->by_arity) * t->arity;
}

// Digit s_i of the label of a switch of this layer, 1 <= i <= l-1. The top digit (i = l-1) is in
// [0,2d) below the core and in [0,d) in the core. Above layer 1, s_1 is in [0,u).
static inline uint32_t drb_switch_digit(const struct drb_tree *t, uint32_t layer, uint32_t label,
					uint32_t i)
{
	const struct drb_div *by = layer == 1 ? t->by : t->by_above;
	uint32_t q = drb_div(label, &by[i - 1]);

	if (i == t->layers - 1)
		return q;
	return q - drb_div(label, &by[i]) * (layer > 1 && i == 1 ? t->uplinks : t->arity);
}

// Label codes with digit 1 at index 0: l digits for a host, l-1 for a switch.
void drb_host_code(const struct drb_tree *t, uint32_t host, uint32_t code[]);
void drb_switch_code(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t code[]);
