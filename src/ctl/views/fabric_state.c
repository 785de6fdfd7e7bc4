// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/fabric_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "core/links/port_sets.h"

static int switch_add(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct fabric_state *s = arg;
	struct drb_switch_all *more = realloc(s->at, (s->count + 1) * sizeof(*more));

	if (!more)
		drb_die("out of memory");
	s->at = more;
	s->tree = drb_info_tree(info);
	if (s->tree.layers == 0)
		return -EPROTO;
	int rc = drb_read_all(t, &s->at[s->count]);
	s->count += rc == 0;
	return rc;
}

int fabric_state_read(struct fabric_state *s, const struct ctl *ctl)
{
	*s = (struct fabric_state){.ctl = ctl};
	return ctl_each(ctl, NULL, 0, switch_add, s);
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

// True if a port is spare: drained, flapping or lossy. The states of a spare port that is needed
// begin with the same words.
static bool is_spare(const char *state)
{
	return strncmp(state, "drained", 7) == 0 || strncmp(state, "flapping", 8) == 0 ||
	       strncmp(state, "lossy", 5) == 0;
}

// The usable and the spare ports of a switch as bits, down-ports first.
static struct drb_usable_ports usable_ports(const struct fabric_state *s,
					    const struct drb_switch_all *all)
{
	uint32_t downs = drb_tree_down_ports(&s->tree, (uint32_t)all->info.layer);
	struct drb_usable_ports ports = {0};

	for (uint32_t i = 0; i < all->port_count; i++) {
		const struct drb_switch_port *p = &all->ports[i];
		uint32_t number;
		bool up;
		if (drb_port_parse(p->name, &up, &number) < 0)
			continue;
		number += up ? downs : 0;
		if (number > 63)
			continue;
		if (p->usable == 1)
			ports.usable |= UINT64_C(1) << number;
		else if (is_spare(p->state))
			ports.drained |= UINT64_C(1) << number;
	}
	return ports;
}

// True if the switch below a down-port has no second usable uplink, by which it could send a packet
// up again. The switch above knows this from the hellos of the switch below.
static bool no_alternate(const struct fabric_state *s, const struct drb_switch_all *all,
			 uint32_t down)
{
	struct drb_end below = drb_tree_down_peer(&s->tree, (uint32_t)all->info.layer,
						  (uint32_t)all->info.label, down);
	const struct drb_switch_all *child = fabric_state_of(s, below.layer, below.label);

	if (!child)
		return true;
	uint64_t ups = drb_ports_from(usable_ports(s, child).usable,
				      drb_tree_down_ports(&s->tree, below.layer));
	return __builtin_popcountll(ups) < 2;
}

struct drb_usable_ports fabric_state_usable(const struct fabric_state *s,
					    const struct drb_switch_all *all)
{
	struct drb_usable_ports ports = usable_ports(s, all);
	uint32_t downs = drb_tree_down_ports(&s->tree, (uint32_t)all->info.layer);

	for (uint32_t i = 0; all->info.layer > 1 && i < downs; i++) {
		if (no_alternate(s, all, i))
			ports.no_alternate |= UINT64_C(1) << i;
	}
	return ports;
}

// The sources of a switch's known outages: the states of its own ports, and the outages that the
// hellos of its neighbours report. heard: by index of s->at.
static struct drb_outage_sources sources_of(const struct fabric_state *s,
					    const struct drb_switch_all *all,
					    const struct drb_outages *heard)
{
	const uint32_t layer = (uint32_t)all->info.layer, label = (uint32_t)all->info.label;
	const uint32_t downs = drb_tree_down_ports(&s->tree, layer);
	struct drb_outage_sources from = {.tree = &s->tree, .layer = layer, .label = label};

	for (uint32_t i = 0; i < all->port_count; i++) {
		const char *state = all->ports[i].state;
		uint32_t number;
		bool up;
		if (drb_port_parse(all->ports[i].name, &up, &number) < 0 || (layer == 1 && !up) ||
		    number + (up ? downs : 0) > 63)
			continue;
		const struct drb_end peer = up ? drb_tree_up_peer(&s->tree, layer, label, number)
					       : drb_tree_down_peer(&s->tree, layer, label, number);
		const struct drb_switch_all *there = fabric_state_of(s, peer.layer, peer.label);
		number += up ? downs : 0;
		from.heard[number] = there ? &heard[there - s->at] : NULL;
		if (strcmp(state, "down") == 0 || strcmp(state, "miswired") == 0)
			from.dead |= UINT64_C(1) << number;
		else if (is_spare(state))
			from.spare |= UINT64_C(1) << number;
	}
	return from;
}

// Switches need some dozens of rounds of hellos until all of them know all outages. The limit ends
// a loop that does not settle.
#define ROUNDS_MAX 100

static struct drb_outages *none_for_each(const struct fabric_state *s)
{
	struct drb_outages *none = calloc(s->count + 1, sizeof(*none));

	if (!none)
		drb_die("out of memory");
	return none;
}

struct drb_outages *fabric_state_outages(const struct fabric_state *s)
{
	struct drb_outages *known = none_for_each(s), *heard = none_for_each(s);
	bool news = true;

	for (uint32_t round = 0; news && round < ROUNDS_MAX; round++) {
		news = false;
		memcpy(heard, known, s->count * sizeof(*known));
		for (size_t i = 0; i < s->count; i++) {
			const struct drb_outage_sources from = sources_of(s, &s->at[i], heard);
			drb_outages_gather(&known[i], &from);
			news |= !drb_outages_equal(&known[i], &heard[i]);
		}
	}
	free(heard);
	return known;
}
