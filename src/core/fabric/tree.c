// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/tree.h"

#include <errno.h>

int drb_tree_init(struct drb_tree *t, uint32_t layers, uint32_t arity)
{
	return drb_tree_init_uplinks(t, layers, arity, arity);
}

int drb_tree_init_uplinks(struct drb_tree *t, uint32_t layers, uint32_t arity, uint32_t uplinks)
{
	uint64_t power = 1;

	if (layers == 0 || layers > DRB_LAYERS_MAX || arity == 0 || arity > DRB_ARITY_MAX ||
	    uplinks == 0 || uplinks > arity || (layers == 1 && uplinks != arity))
		return -EINVAL;
	*t = (struct drb_tree){.layers = layers,
			       .arity = arity,
			       .uplinks = uplinks,
			       .by_arity = drb_div_by(arity)};
	for (uint32_t i = 0; i <= layers; i++) {
		if (2 * power > DRB_HOSTS_MAX)
			return -EOVERFLOW;
		t->pow[i] = (uint32_t)power;
		if (i < layers)
			t->by[i] = drb_div_by(t->pow[i]);
		power *= arity;
	}
	for (uint32_t i = 0; i < layers; i++) {
		t->above[i] = i == 0 ? 1 : uplinks * t->pow[i - 1];
		t->by_above[i] = drb_div_by(t->above[i]);
	}
	t->hosts = 2 * t->pow[layers];
	t->links = 2 * t->pow[layers - 1] * uplinks;
	for (uint32_t m = 1; m <= layers; m++)
		t->switches += drb_tree_switches(t, m);
	return 0;
}

uint32_t drb_tree_switches(const struct drb_tree *t, uint32_t layer)
{
	uint32_t core = t->above[t->layers - 1];

	if (layer == t->layers)
		return core;
	return 2 * (layer == 1 ? t->pow[t->layers - 1] : core);
}

uint32_t drb_tree_switches_total(const struct drb_tree *t)
{
	return t->switches;
}

uint32_t drb_tree_down_ports(const struct drb_tree *t, uint32_t layer)
{
	return layer == t->layers ? 2 * t->arity : t->arity;
}

uint32_t drb_tree_up_ports(const struct drb_tree *t, uint32_t layer)
{
	if (layer == t->layers)
		return 0;
	return layer == 1 ? t->uplinks : t->arity;
}

uint32_t drb_tree_links(const struct drb_tree *t)
{
	return t->links;
}

double drb_tree_uplink_load(const struct drb_tree *t, double load)
{
	return load * t->arity / t->uplinks;
}

void drb_host_code(const struct drb_tree *t, uint32_t host, uint32_t code[])
{
	for (uint32_t i = 1; i <= t->layers; i++)
		code[i - 1] = drb_host_digit(t, host, i);
}

void drb_switch_code(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t code[])
{
	for (uint32_t i = 1; i < t->layers; i++)
		code[i - 1] = drb_switch_digit(t, layer, label, i);
}

uint32_t drb_distance(const struct drb_tree *t, uint32_t host_a, uint32_t host_b)
{
	// The codes agree above component k exactly if the labels agree without their lowest k
	// digits.
	uint32_t k = t->layers;

	if (host_a == host_b)
		return 0;
	while (k > 1 && drb_div(host_a, &t->by[k - 1]) == drb_div(host_b, &t->by[k - 1]))
		k--;
	return k;
}

// The label of a switch in a layer next to at.layer. i is the lower of the two layers. The switch
// has `digit` as component i, and agrees with `at` in all other components.
static uint32_t with_digit(const struct drb_tree *t, struct drb_end at, uint32_t i, uint32_t digit)
{
	uint32_t was = drb_switch_digit(t, at.layer, at.label, i);

	if (i > 1) // both are above layer 1
		return at.label - was * t->above[i - 1] + digit * t->above[i - 1];
	// Only digit 1 has fewer values above layer 1 (u) than in layer 1 (d).
	if (at.layer == 1)
		return digit + drb_div(at.label - was, &t->by_arity) * t->uplinks;
	return digit + drb_div(at.label - was, &t->by_above[1]) * t->arity;
}

struct drb_end drb_tree_up_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
				uint32_t up_port)
{
	const struct drb_end at = {.layer = layer, .label = label};

	return (struct drb_end){
		.layer = layer + 1,
		.label = with_digit(t, at, layer, up_port),
		.port = drb_switch_digit(t, layer, label, layer),
		.up = false,
	};
}

struct drb_end drb_tree_down_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
				  uint32_t down_port)
{
	const struct drb_end at = {.layer = layer, .label = label};

	if (layer == 1)
		return (struct drb_end){
			.layer = 0, .label = label * t->arity + down_port, .up = true};
	return (struct drb_end){
		.layer = layer - 1,
		.label = with_digit(t, at, layer - 1, down_port),
		.port = drb_switch_digit(t, layer, label, layer - 1),
		.up = true,
	};
}

struct drb_end drb_tree_host_peer(const struct drb_tree *t, uint32_t host)
{
	uint32_t label = drb_div(host, &t->by_arity);

	if (t->layers == 1)
		return (struct drb_end){.layer = 1, .label = 0, .port = host};
	return (struct drb_end){.layer = 1, .label = label, .port = host - label * t->arity};
}
