// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"
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

// The bit of a port. Down-ports come first.
static uint64_t bit_of(const struct drb_tree *t, uint32_t layer, bool up, uint32_t port)
{
	return UINT64_C(1) << (up ? drb_tree_down_ports(t, layer) + port : port);
}

static void set_port(struct drb_failures *f, const struct drb_tree *t, const struct drb_end *end,
		     bool dead)
{
	uint64_t *usable = &links_of(f, end->layer, end->label)->usable;
	const uint64_t bit = bit_of(t, end->layer, end->up, end->port);

	*usable = dead ? *usable & ~bit : *usable | bit;
}

// A switch reports to those above whether it has another uplink.
static void tell_alternates(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
			    uint32_t label)
{
	const uint64_t ups =
		drb_ports_from(links_of(f, layer, label)->usable, drb_tree_down_ports(t, layer));

	for (uint32_t u = 0; u < drb_tree_up_ports(t, layer); u++) {
		const struct drb_end peer = drb_tree_up_peer(t, layer, label, u);
		uint64_t *no_alternate = &links_of(f, peer.layer, peer.label)->no_alternate;
		const uint64_t bit = bit_of(t, peer.layer, false, peer.port);
		const bool alternate = ups & ~(UINT64_C(1) << u);
		*no_alternate = alternate ? *no_alternate & ~bit : *no_alternate | bit;
	}
}

void drb_failures_set(struct drb_failures *f, const struct drb_tree *t, const struct drb_end *low,
		      bool dead)
{
	const struct drb_end peer = drb_tree_up_peer(t, low->layer, low->label, low->port);

	set_port(f, t, low, dead);
	set_port(f, t, &peer, dead);
	tell_alternates(f, t, low->layer, low->label);
}

static void kill_switch(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
			uint32_t label)
{
	for (uint32_t u = 0; u < drb_tree_up_ports(t, layer); u++)
		drb_failures_set(f, t, &(struct drb_end){layer, label, u, true}, true);
	for (uint32_t p = 0; layer > 1 && p < drb_tree_down_ports(t, layer); p++) {
		const struct drb_end child = drb_tree_down_peer(t, layer, label, p);
		drb_failures_set(f, t, &child, true);
	}
}

// True if a switch has no usable link to another switch.
static bool is_cut_off(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
		       uint32_t label)
{
	const uint64_t usable = links_of(f, layer, label)->usable;

	return !(layer == 1 ? drb_ports_from(usable, drb_tree_down_ports(t, 1)) : usable);
}

// Notes a dead switch above layer 1, and the dead links of others, as hellos do.
static void note_outages(struct drb_failures *f, const struct drb_tree *t, uint32_t layer,
			 uint32_t label, struct drb_outages *o)
{
	const uint64_t ups =
		drb_ports_from(links_of(f, layer, label)->usable, drb_tree_down_ports(t, layer));

	if (layer > 1 && is_cut_off(f, t, layer, label)) {
		drb_outages_add(o, t,
				drb_outage_key(drb_outage_switch(t, layer, label), DRB_OUTAGE_DEAD),
				0);
		return;
	}
	for (uint32_t u = 0; u < drb_tree_up_ports(t, layer); u++) {
		const struct drb_end peer = drb_tree_up_peer(t, layer, label, u);
		if (!(ups >> u & 1) && !is_cut_off(f, t, peer.layer, peer.label))
			drb_outages_add(o, t,
					drb_outage_key(drb_outage_link(t, layer, label, u),
						       DRB_OUTAGE_DEAD),
					0);
	}
}

static void learn_routes(struct drb_failures *f, const struct drb_outages *o)
{
	struct drb_routes *r = &f->finder;
	uint64_t *to = f->routes;

	for (uint32_t m = 1; m <= r->tree.layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(&r->tree, m); s++, to += r->racks) {
			struct drb_usable_ports *ports = links_of(f, m, s);
			r->layer = m;
			r->label = s;
			drb_routes_find(r, o, ~ports->usable);
			for (uint32_t rack = 0; rack < r->racks; rack++)
				to[rack] = drb_routes_to(r, rack);
			ports->routes = to;
			ports->settled = true;
		}
	}
}

void drb_failures_route(struct drb_failures *f, const struct drb_tree *t)
{
	struct drb_outages outages = {0};

	if (!f->routes)
		return;
	for (uint32_t m = 1; m <= t->layers; m++) {
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++) {
			links_of(f, m, s)->routes = NULL;
			note_outages(f, t, m, s, &outages);
		}
	}
	// If hellos cannot hold all outages, switches know different outages, and have no routes.
	if (outages.count > 0 && !outages.more)
		learn_routes(f, &outages);
}

static int make_finder(struct drb_failures *f, const struct drb_tree *t)
{
	if (drb_routes_init(&f->finder, t, 1, 0) < 0)
		return -ENOMEM;
	if (!f->finder.node)
		return 0; // too large a fabric
	f->routes = malloc((size_t)f->finder.switches * f->finder.racks * sizeof(*f->routes));
	return f->routes ? 0 : -ENOMEM;
}

struct drawing {
	const struct drb_tree *tree;
	struct drb_dead *dead; // has space for all
	uint32_t count;
};

static void add_link(void *context, uint64_t number)
{
	struct drawing *d = context;

	d->dead[d->count++] = (struct drb_dead){.end = drb_link_numbered(d->tree, number)};
}

static void add_switch(void *context, uint64_t number)
{
	struct drawing *d = context;
	uint32_t each = drb_tree_switches(d->tree, 2);

	d->dead[d->count++] = (struct drb_dead){
		.end = {.layer = 2 + (uint32_t)(number / each), .label = (uint32_t)(number % each)},
		.is_switch = true};
}

int drb_failures_list(const struct drb_tree *t, struct drb_fail fail, uint64_t seed,
		      struct drb_dead **dead, uint32_t *count)
{
	const size_t room = (size_t)fail.count + fail.links + fail.switches + 1;
	struct drb_rng rng = drb_rng_seed(seed, 2);
	struct drawing d = {t, calloc(room, sizeof(*d.dead)), fail.count};

	if (!d.dead)
		return -ENOMEM;
	for (uint32_t i = 0; i < fail.count; i++)
		d.dead[i] = fail.known[i];
	drb_draw_numbers(&rng, drb_links_between(t), fail.links, add_link, &d);
	drb_draw_numbers(&rng, drb_fail_switches(t), fail.switches, add_switch, &d);
	*dead = d.dead;
	*count = d.count;
	return 0;
}

int drb_failures_make(struct drb_failures *f, const struct drb_tree *t, struct drb_fail fail,
		      uint64_t seed)
{
	struct drb_dead *dead;
	uint32_t count;

	*f = (struct drb_failures){.stride = drb_tree_switches(t, 1)};
	if (2 * t->arity > 64 || fail.links > drb_links_between(t) ||
	    fail.switches > drb_fail_switches(t))
		return -ERANGE;
	f->at = calloc((size_t)t->layers * f->stride, sizeof(*f->at));
	if (!f->at || make_finder(f, t) < 0 || drb_failures_list(t, fail, seed, &dead, &count) < 0)
		return -ENOMEM;
	for (uint32_t m = 1; m <= t->layers; m++) {
		uint32_t ports = drb_tree_down_ports(t, m) + drb_tree_up_ports(t, m);
		for (uint32_t s = 0; s < drb_tree_switches(t, m); s++)
			links_of(f, m, s)->usable = drb_ports_below(ports);
		for (uint32_t s = 0; m < t->layers && s < drb_tree_switches(t, m); s++)
			tell_alternates(f, t, m, s);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct drb_end *end = &dead[i].end;
		if (dead[i].is_switch)
			kill_switch(f, t, end->layer, end->label);
		else
			drb_failures_set(f, t, end, true);
	}
	free(dead);
	drb_failures_route(f, t);
	return 0;
}

// Replaces a link's end by its lower end, which identifies the link. False: no link between
// switches has this end.
static bool find_link(const struct drb_tree *t, struct drb_end *end)
{
	const uint32_t ports =
		end->up ? drb_tree_up_ports(t, end->layer) : drb_tree_down_ports(t, end->layer);

	if (end->port >= ports || (!end->up && end->layer == 1))
		return false;
	if (!end->up)
		*end = drb_tree_down_peer(t, end->layer, end->label, end->port);
	return true;
}

bool drb_dead_named(const struct drb_tree *t, const char *name, struct drb_dead *dead)
{
	struct drb_end *end = &dead->end;
	char node[DRB_END_NAME_MAX];
	char *port;

	snprintf(node, sizeof(node), "%s", name);
	port = strchr(node, '.');
	if (port)
		*port++ = '\0';
	*dead = (struct drb_dead){.is_switch = !port};
	if (drb_node_parse(node, &end->layer, &end->label) < 0 || end->layer == 0 ||
	    end->layer > t->layers || end->label >= drb_tree_switches(t, end->layer))
		return false;
	return !port || (drb_port_parse(port, &end->up, &end->port) == 0 && find_link(t, end));
}

void drb_failures_free(struct drb_failures *f)
{
	drb_routes_free(&f->finder);
	free(f->routes);
	free(f->at);
	f->at = NULL;
	f->routes = NULL;
}
