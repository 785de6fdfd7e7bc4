// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/points.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/measures/growth.h"

#include "sim/paper/lengths.h"

const uint32_t paper_trees[2][2] = {{3, 24}, {4, 12}};

struct paper_point *paper_add(struct paper *p, enum paper_kind kind)
{
	if (p->points == p->room) {
		p->room = p->room ? 2 * p->room : 256;
		p->point = realloc(p->point, p->room * sizeof(*p->point));
		if (!p->point)
			drb_die("not enough memory");
	}
	struct paper_point *point = &p->point[p->points++];
	*point = (struct paper_point){.kind = kind, .paper_t = true};
	return point;
}

struct paper_point *paper_add_packets(struct paper *p, const uint32_t tree[2],
				      enum drb_scheme scheme, double rho, const char *traffic)
{
	struct paper_point *point = paper_add(p, PAPER_PACKET);
	struct drb_packet_setup *s = &point->packet;
	struct paper_length length = paper_length_itself(p->quick, rho);

	drb_tree_init(&s->tree, tree[0], tree[1]);
	drb_traffic_parse(traffic, &s->traffic);
	s->scheme = scheme;
	s->choices = 2;
	s->rho = rho;
	s->threshold = drb_threshold_packet(rho);
	s->slots = length.slots;
	s->stats = length.stats;
	s->seed = p->common.seed;
	return point;
}

void paper_set_flow_summary(struct paper_point *point, const struct drb_flow_summary *s)
{
	const double v[] = {s->max_load, s->max_load_sd, s->max_up,
			    s->max_down, s->redirected,  s->kept};

	memcpy(point->value, v, sizeof(v));
}

struct drb_flow_summary paper_flow_summary(const struct paper_point *point)
{
	const double *v = point->value;

	return (struct drb_flow_summary){v[0], v[1], v[2], v[3], v[4], v[5]};
}

void paper_set_packet_result(struct paper_point *point, const struct drb_packet_result *r)
{
	double *v = point->value;
	double growing = r->growing ? 1 + (double)r->growing_links : 0;
	const double head[] = {r->latency,    r->tail, r->redirected,
			       r->throughput, growing, (double)r->undelivered};
	memcpy(v, head, sizeof(head));
	v[PAPER_VALUES - 4] = r->default_path;
	v[PAPER_VALUES - 3] = r->unclear;
	v[PAPER_VALUES - 2] = r->lost;
	v[PAPER_VALUES - 1] = r->drift;
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++) {
		v[4 * m + 2] = r->up_mean[m];
		v[4 * m + 3] = r->up_max[m];
		v[4 * m + 4] = r->down_mean[m];
		v[4 * m + 5] = r->down_max[m];
	}
}

// Where all links are alike, as in the paper's own experiment, chance lets that many of them pass for growing
// (growth.h).
static uint64_t links_by_chance(const struct paper_point *point)
{
	const struct drb_tree *t = &point->packet.tree;

	if (point->study != PAPER_ITSELF)
		return 0;
	return (2 * t->layers - 1) * (uint64_t)t->hosts / DRB_GROWTH_ONE_IN;
}

struct drb_packet_result paper_packet_result(const struct paper_point *point)
{
	struct drb_packet_result r = {0};
	const double *v = point->value;

	r.latency = v[0];
	r.tail = v[1];
	r.redirected = v[2];
	r.throughput = v[3];
	r.growing = v[4] != 0;
	r.growing_links = r.growing ? (uint64_t)v[4] - 1 : 0;
	r.default_path = v[PAPER_VALUES - 4];
	r.unclear = v[PAPER_VALUES - 3] != 0;
	if (r.growing_links > 0 && r.growing_links <= links_by_chance(point)) {
		r.growing = false;
		r.unclear = true;
	}
	r.undelivered = (uint64_t)v[5];
	r.lost = v[PAPER_VALUES - 2];
	r.drift = v[PAPER_VALUES - 1];
	for (uint32_t m = 1; m <= PAPER_LAYERS_MAX; m++) {
		r.up_mean[m] = v[4 * m + 2];
		r.up_max[m] = (uint32_t)v[4 * m + 3];
		r.down_mean[m] = v[4 * m + 4];
		r.down_max[m] = (uint32_t)v[4 * m + 5];
	}
	return r;
}

void paper_set_ctmc_result(struct paper_point *point, const struct drb_ctmc_result *r)
{
	const double v[] = {r->mean_queue, r->mean_time, r->redirected};

	memcpy(point->value, v, sizeof(v));
	memcpy(point->value + 3, r->s + 1, PAPER_CHAIN_LEVELS * sizeof(r->s[0]));
	point->value[3 + PAPER_CHAIN_LEVELS] = r->correlation;
}

void paper_set_layers_result(struct paper_point *point, const struct drb_ctmc_layers_result *r)
{
	double *v = point->value;

	for (uint32_t m = 1; m < point->layers.layers; m++) {
		*v++ = r->layer[m].mean_queue;
		*v++ = drb_ctmc_distance(&r->layer[m], &r->layer[1]);
		*v++ = r->layer[m].departures_cv2;
	}
}

const char *paper_label(const struct paper_point *point)
{
	static const char *const paths[] = {[PAPER_BY_PATH] = "paths", [PAPER_OPTIMAL] = "optimal"};
	enum drb_scheme scheme =
		point->kind == PAPER_FLOW ? point->flow.scheme : point->packet.scheme;

	if (point->paths != PAPER_BY_SCHEME)
		return paths[point->paths];
	return scheme == DRB_SCHEME_DRB && !point->paper_t ? "drb T=0" : drb_scheme_name(scheme);
}
