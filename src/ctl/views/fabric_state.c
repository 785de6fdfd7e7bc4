// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/fabric_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "core/links/port_sets.h"

static int take(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct fabric_state *s = arg;
	struct drb_switch_all *more = realloc(s->at, (s->count + 1) * sizeof(*more));

	if (!more)
		drb_die("out of memory");
	s->at = more;
	if (drb_tree_init_uplinks(&s->tree, (uint32_t)info->layers, (uint32_t)info->arity,
				  (uint32_t)info->uplinks) < 0)
		return -EPROTO;
	int rc = drb_read_all(t, &s->at[s->count]);
	s->count += rc == 0;
	return rc;
}

int fabric_state_read(struct fabric_state *s, const struct ctl *ctl)
{
	*s = (struct fabric_state){.ctl = ctl};
	return ctl_each(ctl, NULL, 0, take, s);
}

void fabric_state_free(struct fabric_state *s)
{
	for (size_t i = 0; i < s->count; i++)
		drb_switch_all_free(&s->at[i]);
	free(s->at);
	*s = (struct fabric_state){0};
}

const struct drb_switch_all *fabric_state_of(const struct fabric_state *s, uint32_t layer,
					     uint32_t label)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->at[i].info.layer == layer && s->at[i].info.label == label)
			return &s->at[i];
	}
	return NULL;
}

struct drb_detour_node fabric_state_node(const struct fabric_state *s,
					 const struct drb_switch_all *all)
{
	uint32_t layer = (uint32_t)all->info.layer;

	return (struct drb_detour_node){
		.hop = drb_hop_at(&s->tree, layer, (uint32_t)all->info.label),
		.layer = layer,
		.down_ports = drb_tree_down_ports(&s->tree, layer),
		.up_ports = drb_tree_up_ports(&s->tree, layer)};
}

// A port that works is spare in all states that say so, also while it is needed.
static bool is_spare(const char *state)
{
	return strncmp(state, "drained", 7) == 0 || strncmp(state, "flapping", 8) == 0 ||
	       strncmp(state, "lossy", 5) == 0;
}

// Ports of one state, down-ports first.
static struct drb_usable_ports ports_of(const struct fabric_state *s,
					const struct drb_switch_all *all)
{
	uint32_t downs = drb_tree_down_ports(&s->tree, (uint32_t)all->info.layer);
	struct drb_usable_ports ports = {0};

	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_switch_full_port *p = &all->ports[i];
		uint32_t number;
		bool up;
		if (drb_port_parse(p->port.name, &up, &number) < 0)
			continue;
		number += up ? downs : 0;
		if (number > 63)
			continue;
		if (p->link.usable)
			ports.usable |= UINT64_C(1) << number;
		else if (is_spare(p->link.state))
			ports.drained |= UINT64_C(1) << number;
	}
	return ports;
}

// The switch below a down-port has no other uplink in use to send a packet up again by, as its hellos
// say to this one.
static bool no_alternate(const struct fabric_state *s, const struct drb_switch_all *all,
			 uint32_t down)
{
	struct drb_end below = drb_tree_down_peer(&s->tree, (uint32_t)all->info.layer,
						  (uint32_t)all->info.label, down);
	const struct drb_switch_all *child = fabric_state_of(s, below.layer, below.label);

	if (!child)
		return true;
	uint64_t ups = drb_ports_from(ports_of(s, child).usable,
				      drb_tree_down_ports(&s->tree, below.layer));
	return __builtin_popcountll(ups) < 2;
}

struct drb_usable_ports fabric_state_usable(const struct fabric_state *s,
					    const struct drb_switch_all *all)
{
	struct drb_usable_ports ports = ports_of(s, all);
	uint32_t downs = drb_tree_down_ports(&s->tree, (uint32_t)all->info.layer);

	for (uint32_t i = 0; all->info.layer > 1 && i < downs; i++) {
		if (no_alternate(s, all, i))
			ports.no_alternate |= UINT64_C(1) << i;
	}
	return ports;
}

static void add_outages(const struct fabric_state *s, const struct drb_switch_all *all,
			struct drb_outages *o)
{
	const uint32_t layer = (uint32_t)all->info.layer,
		       downs = drb_tree_down_ports(&s->tree, layer);

	for (uint32_t i = 0; i < all->port_count; i++) {
		const char *state = all->ports[i].link.state;
		const bool dead = strcmp(state, "down") == 0 || strcmp(state, "miswired") == 0;
		uint32_t number;
		bool up;
		if (drb_port_parse(all->ports[i].port.name, &up, &number) < 0 ||
		    (layer == 1 && !up) || !(dead || is_spare(state)))
			continue;
		number += up ? downs : 0;
		const uint32_t link =
			drb_outage_of_port(&s->tree, layer, (uint32_t)all->info.label, number);
		drb_outages_add(o, &s->tree, drb_outage_key(link, !dead), 0);
	}
}

struct drb_outages fabric_state_outages(const struct fabric_state *s)
{
	struct drb_outages o = {0};

	for (size_t i = 0; i < s->count; i++)
		add_outages(s, &s->at[i], &o);
	return o;
}
