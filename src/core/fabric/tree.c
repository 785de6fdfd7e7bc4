// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/tree.h"

#include <errno.h>

int drb_tree_init(struct drb_tree *t, uint32_t layers, uint32_t arity)
{
	uint64_t power = 1;

	if (layers == 0 || layers > DRB_LAYERS_MAX || arity == 0 || arity > DRB_ARITY_MAX)
		return -EINVAL;
	*t = (struct drb_tree){.layers = layers, .arity = arity, .by_arity = drb_div_by(arity)};
	for (uint32_t i = 0; i <= layers; i++) {
		if (2 * power > DRB_HOSTS_MAX)
			return -EOVERFLOW;
		t->pow[i] = (uint32_t)power;
		if (i < layers)
			t->by[i] = drb_div_by(t->pow[i]);
		power *= arity;
	}
	t->hosts = 2 * t->pow[layers];
	return 0;
}

uint32_t drb_tree_switches(const struct drb_tree *t, uint32_t layer)
{
	return layer == t->layers ? t->pow[t->layers - 1] : 2 * t->pow[t->layers - 1];
}

uint32_t drb_tree_switches_total(const struct drb_tree *t)
{
	return (2 * t->layers - 1) * t->pow[t->layers - 1];
}

uint32_t drb_tree_down_ports(const struct drb_tree *t, uint32_t layer)
{
	return layer == t->layers ? 2 * t->arity : t->arity;
}

uint32_t drb_tree_up_ports(const struct drb_tree *t, uint32_t layer)
{
	return layer == t->layers ? 0 : t->arity;
}

void drb_host_code(const struct drb_tree *t, uint32_t host, uint32_t code[])
{
	for (uint32_t i = 1; i <= t->layers; i++)
		code[i - 1] = drb_host_digit(t, host, i);
}

void drb_switch_code(const struct drb_tree *t, uint32_t label, uint32_t code[])
{
	for (uint32_t i = 1; i < t->layers; i++)
		code[i - 1] = drb_switch_digit(t, label, i);
}

static uint32_t label_of(const struct drb_tree *t, const uint32_t code[], uint32_t digits)
{
	uint32_t label = 0;

	for (uint32_t i = 0; i < digits; i++)
		label += code[i] * t->pow[i];
	return label;
}

uint32_t drb_host_label(const struct drb_tree *t, const uint32_t code[])
{
	return label_of(t, code, t->layers);
}

uint32_t drb_switch_label(const struct drb_tree *t, const uint32_t code[])
{
	return label_of(t, code, t->layers - 1);
}

uint32_t drb_distance(const struct drb_tree *t, uint32_t host_a, uint32_t host_b)
{
	// The codes agree above component k exactly when the labels agree after dropping k digits.
	uint32_t k = t->layers;

	if (host_a == host_b)
		return 0;
	while (k > 1 && drb_div(host_a, &t->by[k - 1]) == drb_div(host_b, &t->by[k - 1]))
		k--;
	return k;
}

// The label with component i replaced by digit.
static uint32_t with_digit(const struct drb_tree *t, uint32_t label, uint32_t i, uint32_t digit)
{
	return label - drb_switch_digit(t, label, i) * t->pow[i - 1] + digit * t->pow[i - 1];
}

struct drb_end drb_tree_up_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
				uint32_t up_port)
{
	return (struct drb_end){
		.layer = layer + 1,
		.label = with_digit(t, label, layer, up_port),
		.port = drb_switch_digit(t, label, layer),
		.up = false,
	};
}

struct drb_end drb_tree_down_peer(const struct drb_tree *t, uint32_t layer, uint32_t label,
				  uint32_t down_port)
{
	if (layer == 1)
		return (struct drb_end){
			.layer = 0, .label = label * t->arity + down_port, .up = true};
	return (struct drb_end){
		.layer = layer - 1,
		.label = with_digit(t, label, layer - 1, down_port),
		.port = drb_switch_digit(t, label, layer - 1),
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
