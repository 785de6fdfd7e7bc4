// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"

double paper_estimate(const struct paper_point *point)
{
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_flow_setup *f = &point->flow;
	const struct drb_ctmc_setup *c = &point->ctmc;
	const struct drb_ctmc_layers_setup *l = &point->layers;
	const struct drb_transient_setup *x = &point->transient;
	const struct drb_bins_setup *b = &point->bins;

	switch (point->kind) {
	case PAPER_FLOW:
		return 2.0 * point->runs * f->flows * f->tree.hosts;
	case PAPER_PACKET:
		return 2.0 * s->tree.layers * s->slots * s->rho * s->tree.hosts;
	case PAPER_CTMC:
		return (c->warm_up + c->time) * c->lambda * c->queues;
	case PAPER_TRANSIENT:
		return 2 * x->repeats * x->time * x->queues;
	case PAPER_BINS:
		return (double)DRB_BINS_RUNS * b->bins * b->each * b->choices;
	case PAPER_HOSTS:
		return paper_hosts_estimate(&point->hosts);
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

	if (point->kind == PAPER_HOSTS)
		snprintf(name, PAPER_COST_NAME, "hosts");
	else if (point->kind != PAPER_FLOW && point->kind != PAPER_PACKET)
		snprintf(name, PAPER_COST_NAME, "theory");
	else
		snprintf(name, PAPER_COST_NAME, "%s F(%u,%u)",
			 point->kind == PAPER_FLOW ? "flows" : packets[point->study], t->layers,
			 t->arity);
}

void paper_check_part(const struct paper *p, const char *name)
{
	char part[PAPER_COST_NAME], last[PAPER_COST_NAME] = "", known[512] = "";
	size_t length = 0;

	// The points of a part follow each other.
	for (uint32_t i = 0; i < p->points && length < sizeof(known); i++) {
		paper_part_of(&p->point[i], part);
		if (strcmp(part, name) == 0)
			return;
		if (strcmp(part, last) != 0)
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s'%s'",
						   i ? ", " : "", part);
		memcpy(last, part, sizeof(last));
	}
	drb_die("--part: '%s' is none of %s", name, known);
}
