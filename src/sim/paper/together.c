// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/together.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/flow_global.h"
#include "sim/models/flow_worst.h"
#include "sim/paper/results.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// What draws follow from, in figures; those of a chain, of which each has its own, are none.
static void draws_of(const struct paper_point *point, double draws[8])
{
	const struct drb_packet_setup *s = &point->packet;
	const struct drb_flow_setup *f = &point->flow;
	const double packets[8] = {
		s->tree.layers, s->tree.arity,    s->tree.uplinks, s->traffic.pattern,
		s->traffic.k,   s->traffic.share, s->rho,          (double)s->seed};
	const double flows[8] = {f->tree.layers,  f->tree.arity, f->tree.uplinks, f->flows,
				 (double)f->seed, point->runs,   point->worst};

	memset(draws, 0, 8 * sizeof(*draws));
	if (point->kind == PAPER_PACKET)
		memcpy(draws, packets, sizeof(packets));
	else if (point->kind == PAPER_FLOW)
		memcpy(draws, flows, sizeof(flows));
}

int paper_compare_draws(const struct paper_point *a, const struct paper_point *b)
{
	double x[8], y[8];

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	draws_of(a, x);
	draws_of(b, y);
	for (size_t i = 0; i < COUNT(x); i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	}
	return 0;
}

bool paper_share_draws(const struct paper_point *a, const struct paper_point *b)
{
	return a == b || ((a->kind == PAPER_PACKET || a->kind == PAPER_FLOW) &&
			  paper_compare_draws(a, b) == 0);
}

static int draw(const struct paper_point *point, uint32_t run, struct drb_flow_work *work)
{
	if (point->worst)
		return drb_flow_draw_worst(&point->flow, run, work);
	drb_flow_draw(&point->flow, run, work);
	return 0;
}

static int assign(const struct paper_point *point, uint32_t run, struct drb_flow_work *work,
		  struct drb_flow_result *result)
{
	if (point->paths == PAPER_OPTIMAL)
		return drb_flow_optimal(&point->flow, work, result);
	if (point->paths == PAPER_BY_PATH)
		return drb_flow_by_path(&point->flow, run, work, result);
	*result = drb_flow_assign(&point->flow, run, work);
	return 0;
}

static int run_flows(struct paper_point *const point[], uint32_t count)
{
	const struct paper_point *first = point[0];
	struct drb_flow_work *work = drb_flow_work_new(&first->flow.tree, first->flow.flows);
	struct drb_flow_result *result = calloc((size_t)count * first->runs, sizeof(*result));
	int rc = work && result ? 0 : -ENOMEM;

	for (uint32_t run = 0; rc == 0 && run < first->runs; run++) {
		rc = draw(first, run, work);
		for (uint32_t i = 0; rc == 0 && i < count; i++)
			rc = assign(point[i], run, work, &result[(size_t)i * first->runs + run]);
	}
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const union paper_result r = {
			.flow = drb_flow_summarize(result + (size_t)i * first->runs, first->runs)};
		paper_set_figures(point[i], &r);
	}
	drb_flow_work_free(work);
	free(result);
	return rc;
}

static int run_packets(struct paper_point *const point[], uint32_t count)
{
	struct drb_packet_sim *sim[PAPER_TOGETHER] = {NULL};
	struct drb_packet_result result[PAPER_TOGETHER];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = drb_packet_new(&sim[i], &point[i]->packet);
	if (rc == 0)
		rc = drb_packet_run_together(sim, count, result);
	for (uint32_t i = 0; i < count; i++) {
		if (rc == 0)
			paper_set_figures(point[i], &(union paper_result){.packets = result[i]});
		drb_packet_free(sim[i]);
	}
	return rc;
}

static int run_alone(struct paper_point *point)
{
	union paper_result r;
	int rc = -EINVAL;

	switch (point->kind) {
	case PAPER_CTMC:
		rc = drb_ctmc_run(&point->ctmc, &r.chain);
		break;
	case PAPER_CTMC_LAYERS:
		rc = drb_ctmc_layers_run(&point->layers, &r.layers);
		break;
	case PAPER_TRANSIENT:
		rc = drb_transient_run(&point->transient, &r.distance);
		break;
	case PAPER_BINS:
		rc = drb_bins_run(&point->bins, r.fullest);
		break;
	case PAPER_HOSTS:
		point->hosts.transfers.memory = point->packet.memory;
		rc = paper_hosts_run(&point->hosts, &r.hosts);
		break;
	case PAPER_FLOW:
	case PAPER_PACKET:
		break;
	}
	if (rc == 0)
		paper_set_figures(point, &r);
	return rc;
}

int paper_run_points(struct paper_point *const point[], uint32_t count)
{
	if (point[0]->kind == PAPER_FLOW)
		return run_flows(point, count);
	if (point[0]->kind == PAPER_PACKET)
		return run_packets(point, count);
	return run_alone(point[0]);
}
