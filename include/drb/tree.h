// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The fat-tree F(l,d): labels, wiring, D-mod-k. The layers of switches are 1 (edge) to l (core). A
// label is the number of a host or switch in its layer, from 0. Up-ports and down-ports are
// numbered from 0 as well. Arguments must exist in the tree: only drb_tree_new() checks them.

#include <stdbool.h>
#include <stdint.h>

#include "drb/api.h"

DRB_BEGIN

#define DRB_LAYERS_MAX 16
#define DRB_ARITY_MAX 4096
// Labels travel in 32-bit fields, and their products with a port number must not overflow.
#define DRB_HOSTS_MAX (UINT32_C(1) << 30)

struct drb_tree;

// F(layers, arity). uplinks: u, the number of uplinks of layer-1 switches, at most arity. NULL and
// errno: EINVAL for an argument that is 0 or above its limit, EOVERFLOW for more than DRB_HOSTS_MAX
// hosts, ENOMEM.
DRB_API struct drb_tree *drb_tree_new(uint32_t layers, uint32_t arity, uint32_t uplinks);
// Frees a tree, or does nothing with NULL.
DRB_API void drb_tree_free(struct drb_tree *t);

// Number of hosts: N = 2 d^l.
DRB_API uint32_t drb_tree_hosts(const struct drb_tree *t);
// Number of switches of layer m, 1 <= m <= l: 2 d^(l-1) in layer 1, 2 u d^(l-2) above it, u d^(l-2)
// in the core.
DRB_API uint32_t drb_tree_switches(const struct drb_tree *t, uint32_t layer);
// Number of switches in all layers.
DRB_API uint32_t drb_tree_switches_total(const struct drb_tree *t);
// Number of down-ports of a switch of this layer: d, in the core 2d.
DRB_API uint32_t drb_tree_down_ports(const struct drb_tree *t, uint32_t layer);
// Number of up-ports of a switch of this layer: u in layer 1, d above it, 0 in the core.
DRB_API uint32_t drb_tree_up_ports(const struct drb_tree *t, uint32_t layer);

// Distance k(a,b): the highest i with a_i != b_i, 0 for a = b. A packet turns down at layer k and
// crosses 2k-1 switches.
DRB_API uint32_t drb_distance(const struct drb_tree *t, uint32_t host_a, uint32_t host_b);

// One end of a link. Layer 0 means the host with that label; its port is 0.
struct drb_end {
	uint32_t layer;
	uint32_t label;
	uint32_t port; // down-port or up-port number, see .up
	bool up;       // the port is an up-port of (layer, label)
};

// The other end of an up-port, equation (switch_connection): up-port u of (m,s) leads to the switch
// of layer m+1 whose component m is u, at its down-port s_m.
DRB_API struct drb_end drb_tree_up_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
					uint32_t up_port);
// The other end of a down-port: down-port p of (m,s) leads to the switch of layer m-1 whose
// component m-1 is p, at its up-port s_{m-1}. A down-port of layer 1 leads to a host.
DRB_API struct drb_end drb_tree_down_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
					  uint32_t down_port);
// The switch port of host h: down-port h_1 of the layer-1 switch with s_i = h_{i+1}.
DRB_API struct drb_end drb_tree_host_peer(const struct drb_tree *t, uint32_t host);

// True if host is below the switch (layer, label), so that packets to it go down.
DRB_API bool drb_tree_is_below(const struct drb_tree *t, uint32_t layer, uint32_t label,
			       uint32_t host);
// The down-port for packets to a host below the switch.
DRB_API uint32_t drb_tree_down_port(const struct drb_tree *t, uint32_t layer, uint32_t label,
				    uint32_t host);
// The D-mod-k up-port for packets to a host that is not below the switch.
DRB_API uint32_t drb_tree_default_uplink(const struct drb_tree *t, uint32_t layer, uint32_t label,
					 uint32_t host);

DRB_END
