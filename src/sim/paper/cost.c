// SPDX-License-Identifier: BSD-3-Clause
// What the points of `drbsim paper` take: estimated before, to begin with the longest, and
// measured.
#include "sim/paper/paper.h"

#include <math.h>
#include <string.h>

double paper_estimate(const struct paper_point *point)
{
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_flow_setup *f = &point->flow;
	const struct drb_ctmc_setup *c = &point->ctmc;

	switch (point->kind) {
	case PAPER_FLOW:
		return 2.0 * point->runs * f->flows * f->tree.hosts;
	case PAPER_PACKET:
		return 2.0 * s->tree.layers * s->slots * s->rho * s->tree.hosts;
	case PAPER_CTMC:
		break;
	}
	return (c->warm_up + c->time) * c->lambda * c->queues;
}

static void name_of(const struct paper_point *point, char name[PAPER_COST_NAME])
{
	static const char *const packets[] = {"packets", "persistent", "faults"};
	const struct drb_tree *t =
		point->kind == PAPER_FLOW ? &point->flow.tree : &point->packet.tree;

	if (point->kind == PAPER_CTMC)
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
		name_of(&p->point[i], name);
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

static void write_csv(const struct paper *p, const struct paper_cost cost[], uint32_t costs)
{
	static const struct drb_column columns[] = {
		{"part", NULL, DRB_TEXT, 0},
		{"points", NULL, DRB_COUNT, 0},
		{"cpu_seconds", NULL, DRB_REAL, 1},
		{"longest_seconds", NULL, DRB_REAL, 1},
	};
	FILE *f = paper_open(p, "cost.csv");
	struct drb_table *table = drb_table_new(f, DRB_FORMAT_CSV, columns, 4);

	for (uint32_t i = 0; i < costs; i++) {
		drb_table_text(table, cost[i].name);
		drb_table_count(table, cost[i].points);
		drb_table_real(table, cost[i].cpu);
		drb_table_real(table, cost[i].longest);
	}
	drb_table_end(table);
	paper_close(p, f, "cost.csv");
}

void paper_report_cost(const struct paper *p, FILE *f)
{
	struct paper_cost cost[PAPER_COSTS];
	uint32_t costs = paper_costs(p, cost);
	double cpu = 0;

	write_csv(p, cost, costs);
	fprintf(f, "<h2>What it took</h2>\n<table><tr><th>part</th><th>points</th>"
		   "<th>CPU seconds</th><th>longest point</th></tr>\n");
	for (uint32_t i = 0; i < costs; i++) {
		fprintf(f, "<tr><td>%s</td><td>%u</td><td>%.1f</td><td>%.1f</td></tr>\n",
			cost[i].name, cost[i].points, cost[i].cpu, cost[i].longest);
		cpu += cost[i].cpu;
	}
	fprintf(f,
		"</table>\n<p>Together %.1f CPU minutes in %u runs of a model, of which as many go "
		"on at once as there are CPUs.</p>\n",
		cpu / 60, p->points);
}
