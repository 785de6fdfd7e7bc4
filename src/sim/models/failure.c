// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/failure.h"

#include <errno.h>
#include <stdlib.h>

#include "core/links/port_sets.h"

#include "sim/models/links.h"

uint64_t drb_fail_switches(const struct drb_tree *t)
{
	return drb_tree_switches_total(t) - drb_tree_switches(t, 1);
}

static struct drb_usable_ports *links_of(struct drb_failures *f, uint32_t layer, uint32_t label)
{
	return &f->at[(uint64_t)(layer - 1) * f->stride + label];
}

// Bit of a port: down-ports first.
static uint64_t bit_of(const struct drb_tree *t, uint32_t layer, bool up, uint32_t port)
{
	return UINT64_C(1) << (up ? drb_tree_down_ports(t, layer) + port : port);
}

static void kill_uplink(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
			uint32_t label, uint32_t port)
{
	struct drb_end peer = drb_tree_up_peer(t, layer, label, port);

	links_of(f, layer, label)->usable &= ~bit_of(t, layer, true, port);
	links_of(f, peer.layer, peer.label)->usable &= ~bit_of(t, peer.layer, false, peer.port);
}

static void kill_switch(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
			uint32_t label)
{
	for (uint32_t u = 0; u < drb_tree_up_ports(t, layer); u++)
		kill_uplink(f, t, layer, label, u);
	for (uint32_t p = 0; p < drb_tree_down_ports(t, layer); p++) {
		struct drb_end child = drb_tree_down_peer(t, layer, label, p);
		kill_uplink(f, t, child.layer, child.label, child.port);
	}
}

// What children say of themselves.
static void find_no_alternate(struct drb_failures *f, const struct drb_tree *t)
{
	for (uint32_t m = 1; m < t->layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
			uint64_t ups = links_of(f, m, s)->usable >> drb_tree_down_ports(t, m);
			for (uint32_t u = 0; u < drb_tree_up_ports(t, m); u++) {
				struct drb_end peer = drb_tree_up_peer(t, m, s, u);
				if (!(ups & ~(UINT64_C(1) << u)))
					links_of(f, peer.layer, peer.label)->no_alternate |=
						bit_of(t, peer.layer, false, peer.port);
			}
		}
	}
}

struct killing {
	struct drb_failures *failures;
	const struct drb_tree *tree;
};

static void kill_numbered_link(void *context, uint64_t number)
{
	const struct killing *k = context;
	struct drb_end end = drb_link_numbered(k->tree, number);

	kill_uplink(k->failures, k->tree, end.layer, end.label, end.port);
}

static void kill_numbered_switch(void *context, uint64_t number)
{
	const struct killing *k = context;
	uint32_t each = drb_tree_switches(k->tree, 2);

	kill_switch(k->failures, k->tree, 2 + (uint32_t)(number / each), (uint32_t)(number % each));
}

int drb_failures_make(struct drb_failures *f, const struct drb_tree *t, struct drb_fail fail,
		      uint64_t seed)
{
	struct drb_rng rng = drb_rng_seed(seed, 2);
	struct killing k = {f, t};

	*f = (struct drb_failures){.stride = drb_tree_switches(t, 1)};
	if (2 * t->arity > 64 || fail.links > drb_links_between(t) ||
	    fail.switches > drb_fail_switches(t))
		return -ERANGE;
	f->at = calloc((size_t)t->layers * f->stride, sizeof(*f->at));
	if (!f->at)
		return -ENOMEM;
	for (uint32_t m = 1; m <= t->layers; m++) {
		uint32_t ports = drb_tree_down_ports(t, m) + drb_tree_up_ports(t, m);
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++)
			links_of(f, m, s)->usable = drb_ports_below(ports);
	}
	drb_draw_numbers(&rng, drb_links_between(t), fail.links, kill_numbered_link, &k);
	drb_draw_numbers(&rng, drb_fail_switches(t), fail.switches, kill_numbered_switch, &k);
	find_no_alternate(f, t);
	return 0;
}

void drb_failures_free(struct drb_failures *f)
{
	free(f->at);
	f->at = NULL;
}
