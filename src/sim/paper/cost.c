// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double paper_estimate(const struct paper_point *point)
{
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_flow_setup *f = &point->flow;
	const struct drb_ctmc_setup *c = &point->ctmc;
	const struct drb_ctmc_layers_setup *l = &point->layers;

	switch (point->kind) {
	case PAPER_FLOW:
		return 2.0 * point->runs * f->flows * f->tree.hosts;
	case PAPER_PACKET:
		return 2.0 * s->tree.layers * s->slots * s->rho * s->tree.hosts;
	case PAPER_CTMC:
		return (c->warm_up + c->time) * c->lambda * c->queues;
	case PAPER_CTMC_LAYERS:
		break;
	}
	return (l->warm_up + l->time) * l->lambda * l->layers * 2 * pow(l->arity, l->layers);
}

void paper_part_of(const struct paper_point *point, char name[PAPER_COST_NAME])
{
	static const char *const packets[] = {"packets", "persistent", "faults"};
	const struct drb_tree *t =
		point->kind == PAPER_FLOW ? &point->flow.tree : &point->packet.tree;

	if (point->kind == PAPER_CTMC || point->kind == PAPER_CTMC_LAYERS)
		snprintf(name, PAPER_COST_NAME, "theory");
	else
		snprintf(name, PAPER_COST_NAME, "%s F(%u,%u)",
			 point->kind == PAPER_FLOW ? "flows" : packets[point->study], t->layers,
			 t->arity);
}

uint32_t paper_costs(const struct paper *p, struct paper_cost cost[PAPER_COSTS])
{
	char name[PAPER_COST_NAME];
	uint32_t count = 0, at;

	for (uint32_t i = 0; i < p->points; i++) {
		paper_part_of(&p->point[i], name);
		for (at = 0; at < count && strcmp(cost[at].name, name) != 0; at++)
			;
		if (at == PAPER_COSTS)
			continue;
		if (at == count) {
			cost[count] = (struct paper_cost){0};
			memcpy(cost[count++].name, name, sizeof(name));
		}
		cost[at].points++;
		cost[at].cpu += p->point[i].cpu;
		cost[at].longest = fmax(cost[at].longest, p->point[i].cpu);
	}
	return count;
}
