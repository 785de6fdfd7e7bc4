// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/uplinks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/flows/ethereal.h"

static uint32_t ways_of(const struct drb_transfers *t)
{
	return t->setup.unit == DRB_SIM_PACKET ? 0 : t->setup.tree.layers - 1;
}

int drb_uplinks_init(struct drb_transfers *t)
{
	const struct drb_tree *tree = &t->setup.tree;

	for (uint32_t m = 1; t->setup.unit == DRB_SIM_FLOW && m < tree->layers; m++) {
		t->flows[m] =
			calloc((size_t)drb_tree_switches(tree, m) * drb_tree_up_ports(tree, m),
			       sizeof(*t->flows[m]));
		if (!t->flows[m])
			return -ENOMEM;
	}
	return 0;
}

void drb_uplinks_free(struct drb_transfers *t)
{
	free(t->way);
	for (uint32_t m = 1; m <= DRB_LAYERS_MAX; m++)
		free(t->flows[m]);
}

int drb_uplinks_grow(struct drb_transfers *t, uint32_t transfers)
{
	size_t each = ways_of(t) * sizeof(*t->way);
	struct drb_way *more;

	if (each == 0)
		return 0;
	more = realloc(t->way, transfers * each);
	if (!more)
		return -ENOMEM;
	memset((char *)more + t->room * each, 0, (transfers - t->room) * each);
	t->way = more;
	return 0;
}

// [uplink]: flows on the uplinks of a switch, with unit flow.
static uint32_t *flows_at(const struct drb_transfers *t, const struct active_switch *at)
{
	return t->flows[at->l->layer] + (size_t)at->s * at->l->up;
}

static uint32_t uplink_choose(const struct drb_decider *decider, struct drb_loads loads,
			      struct drb_decision *d)
{
	return sim_uplink(&decider->choice, drb_decide_uplink(decider, loads, d));
}

// Chooses once per flow, by the flows on each uplink.
static void choose_for_flow(struct drb_transfers *t, const struct active_switch *at,
			    const struct drb_decider *decider, struct drb_way *way,
			    struct drb_decision *d)
{
	uint32_t *flows = flows_at(t, at);

	if (way->slot)
		return;
	way->uplink = uplink_choose(decider, (struct drb_loads){.at = flows}, d);
	flows[way->uplink]++;
}

uint32_t drb_uplinks_choose(struct drb_transfers *t, const struct active_switch *at,
			    const struct drb_decider *decider, const struct drb_flying *packet,
			    struct drb_decision *d)
{
	const uint32_t transfer = packet->transfer;
	const struct drb_loads queues = {.at = at->l->seen + at->first};
	uint64_t now = (uint64_t)t->sim->slot + 1;

	if (t->setup.hosts == DRB_HOSTS_ETHEREAL)
		return drb_way_uplink(
			&t->setup.tree,
			drb_way_of(t->setup.ways, t->transfer[transfer].place, packet->sequence),
			at->l->layer);
	if (t->setup.unit == DRB_SIM_PACKET)
		return uplink_choose(decider, queues, d);
	struct drb_way *way = &t->way[(size_t)transfer * ways_of(t) + at->l->layer - 1];
	// A flow passes the same switch of each layer; its flowlets may pass different switches.
	if (t->setup.unit == DRB_SIM_FLOW)
		choose_for_flow(t, at, decider, way, d);
	else if (!way->slot || way->at != at->s || now - way->slot > t->setup.gap)
		way->uplink = uplink_choose(decider, queues, d);
	way->at = at->s;
	way->slot = now;
	return way->uplink;
}

uint32_t drb_uplinks_advise(const struct drb_transfers *t, const struct active_switch *at,
			    const struct drb_decider *decider, struct drb_decision *d)
{
	bool by_flows = t->setup.unit == DRB_SIM_FLOW;
	const uint32_t *load = by_flows ? flows_at(t, at) : at->l->seen + at->first;

	return uplink_choose(decider, (struct drb_loads){.at = load}, d);
}

void drb_uplinks_forget(struct drb_transfers *t, uint32_t transfer)
{
	if (t->setup.unit != DRB_SIM_FLOW)
		return; // uplinks keep no count of flows

	const struct drb_way *way = t->way + (size_t)transfer * ways_of(t);
	for (uint32_t m = 1; m < t->setup.tree.layers; m++, way++) {
		if (way->slot)
			t->flows[m][(size_t)way->at * drb_tree_up_ports(&t->setup.tree, m) +
				    way->uplink]--;
	}
}
