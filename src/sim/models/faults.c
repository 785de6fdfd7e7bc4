// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/faults.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/models/links.h"
#include "sim/models/packet_sim.h"

// The state of all links between switches, by number, and of all switches, layer by layer.
struct view {
	uint8_t *link, *node; // enum drb_fault_kind, without DRB_FAULT_SLOW
};

// A link that loses packets, and the entry at which each direction arrives.
struct lossy_link {
	uint64_t number;
	struct drb_line *line[2];
	uint64_t at[2];
};

struct lossy_switch {
	uint32_t layer, label;
};

struct drb_faults {
	struct drb_fault *fault; // sorted by slot
	uint32_t count, detect;
	// Number of faults that have begun, and of those that switches know.
	uint32_t happened, noticed;
	struct view real, known;
	struct lossy_link *link;
	struct lossy_switch *node;
	uint32_t links, nodes;
};

static uint64_t node_number(const struct drb_tree *t, uint32_t layer, uint32_t label)
{
	return (uint64_t)(layer - 1) * drb_tree_switches(t, 1) + label;
}

static uint64_t nodes_of(const struct drb_tree *t)
{
	return node_number(t, t->layers + 1, 0);
}

uint64_t drb_faults_bytes(const struct drb_tree *t, const struct drb_fault_list *list)
{
	const uint64_t links = drb_links_between(t), nodes = nodes_of(t);

	if (list->count == 0 && list->gray.links == 0)
		return 0;
	return sizeof(struct drb_faults) + links * (2 + sizeof(struct lossy_link)) +
	       nodes * (2 + sizeof(struct lossy_switch)) +
	       ((uint64_t)list->count + list->gray.links) * sizeof(struct drb_fault) +
	       (drb_faults_pace(list) ? drb_slow_bytes(t) : 0);
}

struct drawing {
	struct drb_faults *faults;
	const struct drb_tree *tree;
	uint32_t slot;
};

static void add_gray(void *context, uint64_t number)
{
	const struct drawing *d = context;

	d->faults->fault[d->faults->count++] =
		(struct drb_fault){.slot = d->slot,
				   .kind = DRB_FAULT_GRAY,
				   .what.end = drb_link_numbered(d->tree, number)};
}

static int faults_allocate(struct drb_faults *f, const struct drb_tree *t,
			   const struct drb_fault_list *list)
{
	const uint64_t links = drb_links_between(t), nodes = nodes_of(t);

	f->fault = calloc((size_t)list->count + list->gray.links + 1, sizeof(*f->fault));
	f->real.link = calloc(links + 1, 1);
	f->known.link = calloc(links + 1, 1);
	f->real.node = calloc(nodes, 1);
	f->known.node = calloc(nodes, 1);
	f->link = calloc(links + 1, sizeof(*f->link));
	f->node = calloc(nodes, sizeof(*f->node));
	return f->fault && f->real.link && f->known.link && f->real.node && f->known.node &&
			       f->link && f->node
		       ? 0
		       : -ENOMEM;
}

void drb_faults_free(struct drb_faults *f)
{
	if (!f)
		return;
	free(f->fault);
	free(f->real.link);
	free(f->real.node);
	free(f->known.link);
	free(f->known.node);
	free(f->link);
	free(f->node);
	free(f);
}

static void lose_to(struct drb_packet_sim *sim, uint64_t word, uint64_t *count)
{
	if (word == DRB_NO_PACKET)
		return;
	(*count)++;
	(sim->source ? sim->source->lose : lose)(sim, word);
}

static void keep_link(struct drb_packet_sim *sim, const struct drb_end *low, bool lossy)
{
	struct drb_faults *f = sim->faults;
	const struct drb_tree *t = &sim->setup.tree;
	const uint64_t number = drb_link_number(t, low);
	const struct drb_end high = drb_tree_up_peer(t, low->layer, low->label, low->port);
	struct drb_layer *below = &sim->fabric.layer[low->layer], *above = below + 1;
	uint32_t i = 0;

	while (i < f->links && f->link[i].number != number)
		i++;
	if (lossy && i == f->links)
		f->link[f->links++] =
			(struct lossy_link){number,
					    {&above->from_below, &below->from_above},
					    {(uint64_t)high.label * above->down + high.port,
					     (uint64_t)low->label * below->up + low->port}};
	else if (!lossy && i < f->links)
		f->link[i] = f->link[--f->links];
}

static void keep_switch(struct drb_faults *f, const struct drb_end *at, bool lossy)
{
	uint32_t i = 0;

	while (i < f->nodes && (f->node[i].layer != at->layer || f->node[i].label != at->label))
		i++;
	if (lossy && i == f->nodes)
		f->node[f->nodes++] = (struct lossy_switch){at->layer, at->label};
	else if (!lossy && i < f->nodes)
		f->node[i] = f->node[--f->nodes];
}

static void empty_queues(struct drb_packet_sim *sim, const struct drb_end *at)
{
	struct drb_layer *l = &sim->fabric.layer[at->layer];
	struct layer_meter *meter = &sim->meter[at->layer];
	const uint64_t first = (uint64_t)at->label * (l->up + l->down);

	for (uint64_t i = first; i < first + l->up + l->down; i++) {
		for (uint32_t k = 0; k < l->len[i]; k++)
			lose_to(sim, drb_fifo_peek(&sim->fabric.pool, &l->fifo[i], k),
				&sim->lost_to.in_switches);
		*(i < first + l->up ? &meter->up_now : &meter->down_now) -= l->len[i];
		l->fifo[i].head += l->len[i];
		l->len[i] = 0;
		if (sim->slow.of[at->layer])
			sim->slow.of[at->layer][i].last = DRB_LINK_IDLE;
	}
}

static void slow_down(struct drb_packet_sim *sim, const struct drb_fault *fault)
{
	const struct drb_tree *t = &sim->setup.tree;
	const struct drb_end *low = &fault->what.end;
	const struct drb_end high = drb_tree_up_peer(t, low->layer, low->label, low->port);

	drb_slow_pace(&sim->slow, t, *low)->slots = fault->pace;
	drb_slow_pace(&sim->slow, t, high)->slots = fault->pace;
}

static void happen(struct drb_packet_sim *sim, const struct drb_fault *fault)
{
	struct drb_faults *f = sim->faults;
	const struct drb_tree *t = &sim->setup.tree;
	const struct drb_end *at = &fault->what.end;

	if (fault->kind == DRB_FAULT_SLOW) {
		slow_down(sim, fault);
	} else if (fault->what.is_switch) {
		f->real.node[node_number(t, at->layer, at->label)] = (uint8_t)fault->kind;
		keep_switch(f, at, fault->kind != DRB_FAULT_MEND);
		if (fault->kind == DRB_FAULT_CUT)
			empty_queues(sim, at);
	} else {
		f->real.link[drb_link_number(t, at)] = (uint8_t)fault->kind;
		keep_link(sim, at, fault->kind != DRB_FAULT_MEND);
	}
}

// Both ends of a link learn its state. low: its lower end.
static void learn_link(struct drb_packet_sim *sim, const struct drb_end *low)
{
	const struct drb_tree *t = &sim->setup.tree;
	const struct view *known = &sim->faults->known;
	const struct drb_end high = drb_tree_up_peer(t, low->layer, low->label, low->port);
	const bool cut = known->link[drb_link_number(t, low)] == DRB_FAULT_CUT ||
			 known->node[node_number(t, low->layer, low->label)] == DRB_FAULT_CUT ||
			 known->node[node_number(t, high.layer, high.label)] == DRB_FAULT_CUT;

	drb_failures_set(&sim->failures, t, low, cut);
}

static void learn_switch(struct drb_packet_sim *sim, const struct drb_end *at)
{
	const struct drb_tree *t = &sim->setup.tree;

	for (uint32_t u = 0; u < drb_tree_up_ports(t, at->layer); u++)
		learn_link(sim, &(struct drb_end){at->layer, at->label, u, true});
	for (uint32_t p = 0; at->layer > 1 && p < drb_tree_down_ports(t, at->layer); p++) {
		const struct drb_end low = drb_tree_down_peer(t, at->layer, at->label, p);
		learn_link(sim, &low);
	}
}

static void learn(struct drb_packet_sim *sim, const struct drb_fault *fault)
{
	const struct drb_tree *t = &sim->setup.tree;
	const struct drb_end *at = &fault->what.end;
	// Switches cannot tell a gray link or switch from a sound one.
	const uint8_t kind = fault->kind == DRB_FAULT_CUT ? DRB_FAULT_CUT : DRB_FAULT_MEND;

	if (fault->kind == DRB_FAULT_SLOW)
		return;
	if (fault->what.is_switch) {
		sim->faults->known.node[node_number(t, at->layer, at->label)] = kind;
		learn_switch(sim, at);
	} else {
		sim->faults->known.link[drb_link_number(t, at)] = kind;
		learn_link(sim, at);
	}
}

static void lose_arrivals(struct drb_packet_sim *sim, const struct lossy_switch *at)
{
	struct drb_layer *l = &sim->fabric.layer[at->layer];
	uint64_t *below = l->from_below.now + (uint64_t)at->label * l->down;
	uint64_t *above = l->from_above.now + (uint64_t)at->label * l->up;

	for (uint32_t i = 0; i < l->down; i++) {
		lose_to(sim, below[i], &sim->lost_to.in_switches);
		below[i] = DRB_NO_PACKET;
	}
	for (uint32_t i = 0; i < l->up; i++) {
		lose_to(sim, above[i], &sim->lost_to.in_switches);
		above[i] = DRB_NO_PACKET;
	}
}

// Copies the list, and inserts the random gray links after the listed faults of the same slot.
static void take_list(struct drb_packet_sim *sim, const struct drb_fault_list *list)
{
	struct drb_faults *f = sim->faults;
	const struct drb_tree *t = &sim->setup.tree;
	struct drb_rng rng = drb_rng_seed(sim->setup.seed, 6);
	struct drawing d = {f, t, list->gray.slot};
	uint32_t i = 0;

	f->detect = list->detect;
	for (; i < list->count && list->fault[i].slot <= list->gray.slot; i++)
		f->fault[f->count++] = list->fault[i];
	drb_draw_numbers(&rng, drb_links_between(t), list->gray.links, add_gray, &d);
	for (; i < list->count; i++)
		f->fault[f->count++] = list->fault[i];
}

// Adds the links and switches that are dead from the beginning. Switches know these.
static int take_dead(struct drb_packet_sim *sim)
{
	struct drb_dead *dead;
	uint32_t count;
	int rc = drb_failures_list(&sim->setup.tree, sim->setup.fail, sim->setup.seed, &dead,
				   &count);

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const struct drb_fault fault = {.kind = DRB_FAULT_CUT, .what = dead[i]};
		happen(sim, &fault);
		learn(sim, &fault);
	}
	if (rc == 0)
		free(dead);
	return rc;
}

// True if a layer-1 switch is dead from the beginning. Its hosts send to it nevertheless, so faults
// have to drop these packets.
static bool leaf_is_dead(const struct drb_fail *fail)
{
	for (uint32_t i = 0; i < fail->count; i++) {
		if (fail->known[i].is_switch && fail->known[i].end.layer == 1)
			return true;
	}
	return false;
}

int drb_faults_new(struct drb_packet_sim *sim)
{
	const struct drb_fault_list *list = &sim->setup.faults;
	const struct drb_tree *t = &sim->setup.tree;
	int rc = 0;

	if (list->gray.links > drb_links_between(t))
		return -ERANGE;
	if (list->count == 0 && list->gray.links == 0 && !leaf_is_dead(&sim->setup.fail))
		return 0;
	sim->faults = calloc(1, sizeof(*sim->faults));
	if (!sim->faults || faults_allocate(sim->faults, t, list) < 0)
		return -ENOMEM;
	take_list(sim, list);
	if (drb_faults_pace(list))
		rc = drb_slow_make_even(&sim->slow, t);
	return rc < 0 ? rc : take_dead(sim);
}

void drb_faults_begin_slot(struct drb_packet_sim *sim)
{
	struct drb_faults *f = sim->faults;
	const uint32_t slot = sim->slot, before = f->noticed;

	for (; f->happened < f->count && f->fault[f->happened].slot <= slot; f->happened++)
		happen(sim, &f->fault[f->happened]);
	while (sim->detour_mask && f->noticed < f->happened &&
	       slot - f->fault[f->noticed].slot >= f->detect)
		learn(sim, &f->fault[f->noticed++]);
	if (f->noticed > before)
		drb_failures_route(&sim->failures, &sim->setup.tree);
	for (uint32_t i = 0; i < f->nodes; i++)
		lose_arrivals(sim, &f->node[i]);
}

void drb_faults_cross(struct drb_packet_sim *sim)
{
	struct drb_faults *f = sim->faults;

	for (uint32_t i = 0; i < f->links; i++) {
		for (int k = 0; k < 2; k++) {
			uint64_t *at = f->link[i].line[k]->next + f->link[i].at[k];
			lose_to(sim, *at, &sim->lost_to.on_links);
			*at = DRB_NO_PACKET;
		}
	}
}
