// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/routes.h"

#include <errno.h>
#include <stdlib.h>

bool drb_routes_fit(const struct drb_tree *tree)
{
	return drb_tree_switches_total(tree) <= DRB_ROUTES_SWITCHES_MAX && 2 * tree->arity <= 64 &&
	       drb_outage_items(tree) <= DRB_OUTAGE_ITEMS_MAX;
}

int drb_routes_init(struct drb_routes *r, const struct drb_tree *tree, uint32_t layer,
		    uint32_t label)
{
	*r = (struct drb_routes){.tree = *tree, .layer = layer, .label = label};
	if (!drb_routes_fit(tree))
		return 0;
	r->racks = drb_tree_switches(tree, 1);
	r->switches = drb_tree_switches_total(tree);
	for (uint32_t m = 2; m <= tree->layers; m++)
		r->first[m] = r->first[m - 1] + drb_tree_switches(tree, m - 1);
	r->node = calloc(r->switches, sizeof(*r->node));
	r->queue = calloc(r->switches, sizeof(*r->queue));
	if (r->node && r->queue)
		return 0;
	drb_routes_free(r);
	return -ENOMEM;
}

void drb_routes_free(struct drb_routes *r)
{
	free(r->node);
	free(r->queue);
	r->node = NULL;
	r->queue = NULL;
}

static uint32_t number(const struct drb_routes *r, uint32_t layer, uint32_t label)
{
	return r->first[layer] + label;
}

static void note_link(struct drb_routes *r, uint32_t link, bool spare)
{
	const struct drb_end low = drb_outage_end(&r->tree, link);
	const struct drb_end high = drb_tree_up_peer(&r->tree, low.layer, low.label, low.port);
	const uint32_t up = drb_tree_down_ports(&r->tree, low.layer) + low.port;
	struct drb_routes_node *below = &r->node[number(r, low.layer, low.label)];
	struct drb_routes_node *above = &r->node[number(r, high.layer, high.label)];

	*(spare ? &below->spare : &below->dead) |= UINT64_C(1) << up;
	*(spare ? &above->spare : &above->dead) |= UINT64_C(1) << high.port;
}

static void note(struct drb_routes *r, uint32_t key)
{
	const uint32_t item = drb_outage_item(key);
	const enum drb_outage_kind kind = drb_outage_kind(key);

	if (item >= r->switches)
		note_link(r, item, kind == DRB_OUTAGE_SPARE);
	else if (kind == DRB_OUTAGE_SPARE)
		r->node[item].all_spare = true;
	else if (kind == DRB_OUTAGE_DEAD)
		r->node[item].is_dead = true;
}

static void note_all(struct drb_routes *r, const struct drb_outages *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		note(r, o->key[i]);
	for (uint32_t i = 0; i < o->count; i++) {
		const uint32_t sayer = drb_outage_sayer(&r->tree, o->key[i]);
		if (sayer != DRB_OUTAGE_NOBODY)
			r->node[sayer].is_dead = false;
	}
}

// One switch on a path: its number and position.
struct place {
	uint32_t number, layer, label;
};

static struct place node_place(const struct drb_routes *r, uint32_t node)
{
	uint32_t layer = r->tree.layers;

	while (node < r->first[layer])
		layer--;
	return (struct place){node, layer, node - r->first[layer]};
}

// The switch behind a port. False if a host is there.
static bool next_switch(const struct drb_routes *r, const struct place *at, uint32_t port,
			uint32_t *next)
{
	const uint32_t downs = drb_tree_down_ports(&r->tree, at->layer);
	struct drb_end end;

	if (port >= downs)
		end = drb_tree_up_peer(&r->tree, at->layer, at->label, port - downs);
	else if (at->layer > 1)
		end = drb_tree_down_peer(&r->tree, at->layer, at->label, port);
	else
		return false;
	*next = number(r, end.layer, end.label);
	return true;
}

// Notes a path of this length to a switch that begins by the ports `via`. True if it changes the
// node.
static bool reach(struct drb_routes_node *to, uint32_t length, uint64_t via)
{
	const uint64_t before = length < to->length ? 0 : to->via;

	if (length > to->length || (length == to->length && !(via & ~before)))
		return false;
	to->length = length;
	to->via = before | via;
	return true;
}

// The queue of switches whose neighbours must be visited, a ring with an entry for each switch. No
// switch is in it twice.
struct waiting {
	uint32_t head, count;
};

static void go_on(struct drb_routes *r, uint32_t node, bool first, struct waiting *w)
{
	const struct place at = node_place(r, node);
	const struct drb_routes_node *from = &r->node[node];
	const uint32_t ports =
		drb_tree_down_ports(&r->tree, at.layer) + drb_tree_up_ports(&r->tree, at.layer);
	uint32_t next;

	for (uint32_t port = 0; port < ports; port++) {
		const uint64_t bit = UINT64_C(1) << port;
		if ((from->dead & bit) || !next_switch(r, &at, port, &next))
			continue;
		struct drb_routes_node *to = &r->node[next];
		const bool spare = (from->spare & bit) || from->all_spare || to->all_spare;
		const uint32_t length = from->length + (spare ? DRB_ROUTES_SPARE : 1);
		if ((to->is_dead && !first) || !reach(to, length, first ? bit : from->via) ||
		    to->waits)
			continue;
		to->waits = true;
		r->queue[(w->head + w->count++) % r->switches] = next;
	}
}

void drb_routes_find(struct drb_routes *r, const struct drb_outages *outages, uint64_t own_dead)
{
	const uint32_t self = number(r, r->layer, r->label);
	struct waiting w = {.count = 1};

	for (uint32_t n = 0; n < r->switches; n++)
		r->node[n] = (struct drb_routes_node){.length = UINT32_MAX};
	note_all(r, outages);
	r->node[self].dead |= own_dead;
	r->node[self].length = 0;
	r->queue[0] = self;
	// A switch returns to the queue if a shorter path is found, or another one of equal length.
	// Only spare links cause that.
	while (w.count > 0) {
		const uint32_t node = r->queue[w.head];
		w.head = (w.head + 1) % r->switches;
		w.count--;
		r->node[node].waits = false;
		go_on(r, node, node == self, &w);
	}
}
