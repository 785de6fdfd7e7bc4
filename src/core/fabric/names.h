// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Names: switch s<layer>-<label>, host h<label>, down-ports d0.., up-ports u0.., namespaces and
// processes <fabric>-<node>. A node (host or switch) is (layer, label); hosts have layer 0.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define DRB_NAME_MAX 48 // fits any of these names, with the terminating 0
#define DRB_END_NAME_MAX (2 * DRB_NAME_MAX)
#define DRB_FABRIC_MAX 24 // longest fabric name
#define DRB_FABRIC_DEFAULT "drb"
// The size of a fabric whose size is not given.
#define DRB_LAYERS_DEFAULT 3
#define DRB_ARITY_DEFAULT 2
#define DRB_HOST_INTERFACE "eth0"
// Interface index of host 0; host h has this + h. XDP programs use the index to tell hosts apart,
// because they do not see the namespace. Other interfaces have small indices.
#define DRB_HOST_INDEX UINT32_C(1000)

void drb_node_name(char name[DRB_NAME_MAX], uint32_t layer, uint32_t label); // s2-5, h10
void drb_port_name(char name[DRB_NAME_MAX], bool up, uint32_t port);         // u0, d3
void drb_end_port(char name[DRB_NAME_MAX], const struct drb_end *end);       // d3, eth0
void drb_end_name(char name[DRB_END_NAME_MAX], const struct drb_end *end);   // s2-5.d3, h10.eth0
// <fabric>-<node>: the network namespace, and the DPDK file prefix of the switch process.
void drb_instance_name(char name[DRB_NAME_MAX], const char *fabric, uint32_t layer, uint32_t label);

// Writes the digits of a label code, top digit first, and returns their number. code has
// DRB_LAYERS_MAX entries.
uint32_t drb_code(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t code[]);
// The label code as text, such as "(2,1,0)"; "()" for the only switch of a one-layer fabric.
#define DRB_CODE_MAX (DRB_LAYERS_MAX * 11 + 3)
void drb_code_text(char text[DRB_CODE_MAX], const struct drb_tree *t, uint32_t layer,
		   uint32_t label);

// Return 0, or -EINVAL unless the whole text is a name. Leading zeros and signs are not allowed.
int drb_node_parse(const char *name, uint32_t *layer, uint32_t *label);
int drb_port_parse(const char *name, bool *up, uint32_t *port);
// Splits <fabric>-<node>: fabric receives the part before the node.
int drb_instance_parse(const char *name, char fabric[DRB_FABRIC_MAX + 1], uint32_t *layer,
		       uint32_t *label);
// True for a name of letters, digits, '_', '.' and '-' that starts with a letter or digit and has
// at most DRB_FABRIC_MAX characters.
bool drb_fabric_name_ok(const char *fabric);
