// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/paper/lengths.h"
#include "sim/paper/points.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const uint32_t paper_studied[PAPER_STUDIED_TREES][2] = {{3, 8}, {3, 24}, {4, 6}, {3, 2}, {3, 4}};

// Traffic. A pattern whose K depends on the fabric has it as a share of the hosts.
static const struct pattern {
	const char *name;
	double share;               // 0: the name says all
	enum { ALWAYS, LONG } when; // in every plan, or in the long one alone
} patterns[] = {
	{"permutation", 0, ALWAYS},   {"fixed", 0, ALWAYS},        {"mixed", 0, ALWAYS},
	{"racks:0.03", 0, LONG},      {"racks:0.1", 0, ALWAYS},    {"racks:0.25", 0, LONG},
	{"racks:0.5", 0, ALWAYS},     {"racks:0.9", 0, LONG},      {"turns:2", 0, LONG},
	{"turns:4", 0, LONG},         {"turns:10", 0, ALWAYS},     {"turns:16", 0, LONG},
	{"turns:64", 0, LONG},        {"epoch:2", 0, LONG},        {"epoch:4", 0, ALWAYS},
	{"epoch:10", 0, LONG},        {"epoch:100", 0, LONG},      {"epoch:1000", 0, LONG},
	{"jobs:2", 0, LONG},          {"jobs:8", 0, ALWAYS},       {"transpose", 0, ALWAYS},
	{"reversal", 0, ALWAYS},      {"tornado", 0, ALWAYS},      {"stride", 1 / 7.0, LONG},
	{"all-to-all", 0, LONG},      {"random", 0, ALWAYS},       {"hotspot", 0.5, ALWAYS},
	{"oneway:0.5:0", 0, ALWAYS},  {"oneway:0.1:0", 0, LONG},   {"oneway:0.5:0.01", 0, LONG},
	{"oneway:0.5:0.05", 0, LONG}, {"oneway:0.5:0.2", 0, LONG}, {"sink:0.25", 0, ALWAYS},
	{"silent:0.5", 0, LONG},      {"unequal:0.25", 0, LONG},
};

static const enum drb_scheme studied[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_DMODK,
					  DRB_SCHEME_WALK};

// Of the three plans.
struct loads {
	size_t count;
	double rho[6];
};
static const struct loads quick_loads = {3, {0.5, 0.7, 0.9}},
			  usual_loads = {5, {0.5, 0.7, 0.9, 0.95, 0.99}},
			  long_loads = {6, {0.5, 0.7, 0.8, 0.9, 0.95, 0.99}};

// Runs of the full length last `slots` slots, above load 0.9 `high` slots, in the long plan `long_high`: up to
// 0.9 queues settle within 400 slots, at 0.99 in none of these runs. Where many hosts are averaged over, a few
// hundred slots are enough.
static const struct fabric {
	uint32_t slots, high, long_high; // high 0: too large for any plan but the long one
} fabrics[PAPER_STUDIED_TREES] = {
	{6000, 4000, 6000},    {1000, 0, 1500},      {3000, 0, 3000},
	{20000, 20000, 20000}, {12000, 8000, 12000},
};

static struct drb_traffic_kind kind_of(const struct pattern *pattern, uint32_t hosts)
{
	char name[DRB_TRAFFIC_NAME_MAX];
	struct drb_traffic_kind kind;

	snprintf(name, sizeof(name), "%s", pattern->name);
	if (pattern->share > 0)
		snprintf(name, sizeof(name), "%s:%u", pattern->name,
			 (uint32_t)ceil(pattern->share * hosts));
	drb_traffic_parse(name, &kind);
	return kind;
}

// D-mod-k is compared where no defaults collide. Elsewhere it only shows that they do.
static bool is_compared(enum drb_scheme scheme, enum drb_pattern pattern)
{
	return scheme != DRB_SCHEME_DMODK || pattern == DRB_PATTERN_TORNADO ||
	       pattern == DRB_PATTERN_STRIDE || pattern == DRB_PATTERN_ALL_TO_ALL;
}

// The runs of a scheme at a place that is like `place` but for the seed.
static void add_runs(struct paper *p, enum drb_scheme scheme, const struct drb_packet_setup *place)
{
	const struct paper_length full = {place->slots, place->stats};

	for (uint32_t seed = 0; seed < p->seeds; seed++) {
		struct paper_length length = full;
		struct paper_point *point = paper_add(p, PAPER_PACKET);
		point->study = PAPER_PERSISTENT;
		point->packet = *place;
		point->packet.scheme = scheme;
		point->packet.seed += seed;
		if (seed > 0 && !p->longer && !p->quick)
			length = paper_length_beside(full, place->rho);
		point->packet.slots = length.slots;
		point->packet.stats = length.stats;
		point->packet.most_slots =
			2 * length.slots; // unstable runs would drain for ten times as long
	}
}

static void add_place(struct paper *p, size_t tree, const struct pattern *pattern, double rho)
{
	const struct fabric *fabric = &fabrics[tree];
	uint32_t high = p->longer ? fabric->long_high : fabric->high;
	uint32_t slots = p->quick ? 800 : rho > 0.9 ? high : fabric->slots;
	struct drb_packet_setup place = {
		.choices = 2,
		.rho = rho,
		.threshold = drb_threshold_packet(rho),
		.slots = slots,
		.stats = slots / 2,
		.give_up = true,
		.seed = p->common.seed,
	};

	drb_tree_init(&place.tree, paper_studied[tree][0], paper_studied[tree][1]);
	place.traffic = kind_of(pattern, place.tree.hosts);
	for (size_t s = 0; s < COUNT(studied); s++) {
		if (is_compared(studied[s], place.traffic.pattern))
			add_runs(p, studied[s], &place);
	}
}

static void add_fabric(struct paper *p, size_t tree)
{
	const struct loads *loads = p->quick    ? &quick_loads
				    : p->longer ? &long_loads
						: &usual_loads;

	if (fabrics[tree].high == 0 && !p->longer)
		return;
	for (size_t t = 0; t < COUNT(patterns); t++) {
		for (size_t i = 0; i < loads->count; i++) {
			if (p->longer || patterns[t].when == ALWAYS)
				add_place(p, tree, &patterns[t], loads->rho[i]);
		}
	}
}

void paper_plan_study(struct paper *p)
{
	for (size_t tree = 0; tree < (p->quick ? 1 : PAPER_STUDIED_TREES); tree++)
		add_fabric(p, tree);
}
