// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/points.h"

#include <stdlib.h>

#include "common/cli/log.h"

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

const char *paper_label(const struct paper_point *point)
{
	static const char *const paths[] = {[PAPER_BY_PATH] = "paths", [PAPER_OPTIMAL] = "optimal"};
	enum drb_scheme scheme =
		point->kind == PAPER_FLOW ? point->flow.scheme : point->packet.scheme;

	if (point->kind == PAPER_HOSTS)
		return paper_hosts_label(&point->hosts);
	if (point->paths != PAPER_BY_SCHEME)
		return paths[point->paths];
	return scheme == DRB_SCHEME_DRB && !point->paper_t ? "drb T=0" : drb_scheme_name(scheme);
}
