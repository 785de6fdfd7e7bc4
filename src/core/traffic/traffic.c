// SPDX-License-Identifier: BSD-3-Clause
#include "core/traffic/traffic.h"

#include <errno.h>
#include <string.h>

#include "core/traffic/roles.h"
#include "core/traffic/shuffle.h"

// The label whose digit i is digit from[i] of h. Labels are read in base d, with the half of the
// tree split off the top digit. The result lies in the other half.
static uint32_t move_digits(const struct drb_tree *t, uint32_t h, const uint32_t from[])
{
	uint32_t half = t->hosts / 2;
	uint32_t low = h < half ? h : h - half;
	uint32_t moved = 0;

	for (uint32_t i = 0; i < t->layers; i++)
		moved += drb_div(low, &t->by[from[i]]) % t->arity * t->pow[i];
	return h < half ? moved + half : moved;
}

static void map_digits(struct drb_traffic *traffic, const struct drb_tree *t)
{
	uint32_t from[DRB_LAYERS_MAX];

	for (uint32_t i = 0; i < t->layers; i++) {
		from[i] = traffic->kind.pattern == DRB_PATTERN_REVERSAL
				  ? t->layers - 1 - i
				  : (i + (t->layers + 1) / 2) % t->layers;
	}
	for (uint32_t h = 0; h < t->hosts; h++)
		traffic->map[h] = move_digits(t, h, from);
}

static void map_shift(struct drb_traffic *traffic, uint32_t shift)
{
	for (uint32_t h = 0; h < traffic->hosts; h++)
		traffic->map[h] = (h + shift) % traffic->hosts;
}

// K hosts send to one receiver: the first K + 1 of a random order.
static void map_incast(struct drb_traffic *traffic, struct drb_rng *rng)
{
	uint32_t *order = traffic->order;

	drb_rng_permutation(rng, order, traffic->hosts);
	for (uint32_t h = 0; h < traffic->hosts; h++)
		traffic->map[h] = DRB_NO_LABEL;
	for (uint32_t i = 1; i <= traffic->kind.k; i++)
		traffic->map[order[i]] = order[0];
}

// A random half of the hosts are free. If there are only two hosts, both keep their destination,
// because one free host would have to send to itself.
static void map_mixed(struct drb_traffic *traffic, struct drb_rng *rng)
{
	drb_rng_permutation(rng, traffic->order, traffic->hosts);
	drb_rng_derangement(rng, traffic->map, traffic->hosts);
	traffic->free = traffic->hosts > 2 ? traffic->hosts / 2 : 0;
}

// All hosts are free, except those of a random share of the layer-1 switches.
static void map_racks(struct drb_traffic *traffic, const struct drb_tree *t, struct drb_rng *rng)
{
	uint32_t racks = drb_tree_switches(t, 1), *rack = traffic->map, *order = traffic->order;
	uint32_t keep = (uint32_t)(traffic->kind.share * racks + 0.5), hosts = t->hosts / racks;

	drb_rng_permutation(rng, rack, racks);
	traffic->free = (racks - (keep ? keep : 1)) * hosts;
	for (uint32_t i = 0; i < traffic->free; i++)
		order[i] = rack[i / hosts] * hosts + i % hosts;
	drb_rng_derangement(rng, traffic->map, traffic->hosts);
}

// The hosts of a job: positions first .. first + hosts - 1 of the order.
struct job {
	uint32_t first, hosts;
	enum drb_pattern pattern;
};

#define JOB_SLOTS 10 // C of `turns` and S of `epoch` within a job

static struct job job_at(const struct drb_traffic *traffic, uint32_t i)
{
	static const enum drb_pattern patterns[] = {DRB_PATTERN_FIXED,       DRB_PATTERN_ALL_TO_ALL,
						    DRB_PATTERN_PERMUTATION, DRB_PATTERN_TORNADO,
						    DRB_PATTERN_TURNS,       DRB_PATTERN_EPOCH};
	uint64_t n = traffic->hosts, jobs = traffic->kind.k;
	uint32_t first = (uint32_t)(i * n / jobs), next = (uint32_t)((i + 1) * n / jobs);

	return (struct job){first, next - first,
			    patterns[i % (sizeof(patterns) / sizeof(patterns[0]))]};
}

static void map_jobs(struct drb_traffic *traffic, struct drb_rng *rng)
{
	drb_rng_permutation(rng, traffic->order, traffic->hosts);
	for (uint32_t i = 0; i < traffic->kind.k; i++) {
		struct job job = job_at(traffic, i);
		drb_rng_derangement(rng, traffic->map + job.first, job.hosts);
	}
}

static uint32_t tornado_shift(uint32_t hosts)
{
	return hosts > 3 ? hosts / 2 - 1 : 1;
}

// Draws the parts of the pattern that stay for the whole run.
static void draw_maps(struct drb_traffic *traffic, const struct drb_tree *t, struct drb_rng *rng)
{
	const struct drb_traffic_kind kind = traffic->kind;
	const uint32_t n = traffic->hosts;

	switch (kind.pattern) {
	case DRB_PATTERN_PERMUTATION:
		map_shift(traffic, 0);
		break;
	case DRB_PATTERN_FIXED:
		drb_rng_derangement(rng, traffic->map, n);
		break;
	case DRB_PATTERN_MIXED:
	case DRB_PATTERN_TRAINS: // trains needs a random order, too
		map_mixed(traffic, rng);
		break;
	case DRB_PATTERN_STRIDE:
		map_shift(traffic, kind.k);
		break;
	case DRB_PATTERN_TORNADO:
		map_shift(traffic, tornado_shift(n));
		break;
	case DRB_PATTERN_TRANSPOSE:
	case DRB_PATTERN_REVERSAL:
		map_digits(traffic, t);
		break;
	case DRB_PATTERN_INCAST:
		map_incast(traffic, rng);
		break;
	case DRB_PATTERN_HOTSPOT: // the first K of a random order are hot
		drb_rng_permutation(rng, traffic->map, n);
		break;
	case DRB_PATTERN_RACKS:
		map_racks(traffic, t, rng);
		break;
	case DRB_PATTERN_JOBS:
		traffic->turn_seed = drb_rng_next(rng);
		map_jobs(traffic, rng);
		break;
	case DRB_PATTERN_TURNS:
		traffic->turn_seed = drb_rng_next(rng);
		break;
	case DRB_PATTERN_ONEWAY:
	case DRB_PATTERN_SINK:
	case DRB_PATTERN_SILENT:
	case DRB_PATTERN_IDLE:
	case DRB_PATTERN_UNEQUAL:
		drb_roles_draw(traffic, t, rng);
		break;
	case DRB_PATTERN_FILE:
		memset(traffic->rate, 0, kind.file->pairs * sizeof(*traffic->rate));
		break;
	case DRB_PATTERN_EPOCH: // the first slot draws
	case DRB_PATTERN_RANDOM:
	case DRB_PATTERN_ALL_TO_ALL:
	case DRB_PATTERN_COUNT:
		break;
	}
}

int drb_traffic_init(struct drb_traffic *traffic, const struct drb_traffic_setup *s,
		     struct drb_rng *rng)
{
	uint32_t n = s->tree->hosts;

	if (!(s->rho >= 0 && s->rho <= 1))
		return -EINVAL;
	if (drb_traffic_fits(s->kind, n) < 0)
		return -ERANGE;
	if (s->kind.pattern == DRB_PATTERN_FILE && !s->kind.file)
		return -EINVAL;
	*traffic = (struct drb_traffic){
		.kind = s->kind,
		.hosts = n,
		.send_below = (uint64_t)(s->rho * 0x1.0p32),
		.map = s->memory,
		.order = s->memory + n,
		.rate = s->memory + 2 * (size_t)n,
		.weight = s->memory + 2 * (size_t)n,
	};
	draw_maps(traffic, s->tree, rng);
	return 0;
}

// A uniformly random host other than h.
static uint32_t other_host(struct drb_rng *rng, uint32_t hosts, uint32_t h)
{
	uint32_t r = drb_rng_below(rng, hosts - 1);
	return r + (r >= h);
}

static uint32_t hot_or_other(const struct drb_traffic *traffic, struct drb_rng *rng, uint32_t h)
{
	uint32_t to = h;

	if (drb_rng_next(rng) >> 63)
		to = traffic->map[drb_rng_below(rng, traffic->kind.k)];
	return to == h ? other_host(rng, traffic->hosts, h) : to;
}

// The permutation of n positions whose turn it is, the same each time. which: number of the set of
// permutations.
static void take_turn(const struct drb_traffic *traffic, uint32_t turn, uint32_t which,
		      uint32_t map[], uint32_t n)
{
	struct drb_rng rng = drb_rng_seed(traffic->turn_seed, (uint64_t)which << 32 | turn);

	drb_rng_derangement(&rng, map, n);
}

// Draws the destinations of a job's hosts in this slot, as positions within the job.
static void draw_job(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot, uint32_t i)
{
	struct job job = job_at(traffic, i);
	uint32_t *map = traffic->map + job.first, n = job.hosts, shift;

	switch (job.pattern) {
	case DRB_PATTERN_PERMUTATION:
		drb_shuffle_avoiding(rng, map, NULL, n);
		break;
	case DRB_PATTERN_TURNS:
		take_turn(traffic, slot % JOB_SLOTS, i, map, n);
		break;
	case DRB_PATTERN_EPOCH:
		if (slot % JOB_SLOTS == 0)
			drb_shuffle_avoiding(rng, map, NULL, n);
		break;
	case DRB_PATTERN_TORNADO:
	case DRB_PATTERN_ALL_TO_ALL:
		shift = job.pattern == DRB_PATTERN_TORNADO ? tornado_shift(n)
							   : 1 + (uint32_t)(slot % (n - 1));
		for (uint32_t h = 0; h < n; h++)
			map[h] = (h + shift) % n;
		break;
	default: // fixed keeps its map
		break;
	}
}

static void draw_jobs(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[])
{
	const uint32_t *order = traffic->order;

	for (uint32_t i = 0; i < traffic->kind.k; i++) {
		struct job job = job_at(traffic, i);
		draw_job(traffic, rng, slot, i);
		for (uint32_t p = job.first; p < job.first + job.hosts; p++)
			dest[order[p]] = order[job.first + traffic->map[p]];
	}
}

// The host that receives a packet of h to a host or group: a random member of the group other than
// h.
static uint32_t draw_member(const struct drb_traffic_file *file, struct drb_rng *rng, uint32_t h,
			    uint32_t to)
{
	const uint32_t g = to & ~DRB_TRAFFIC_GROUP;
	uint32_t member = to;

	if (!(to & DRB_TRAFFIC_GROUP))
		return to;
	do
		member = file->member[file->begin[g] +
				      drb_rng_below(rng, file->begin[g + 1] - file->begin[g])];
	while (member == h);
	return member;
}

// The destination of a host, drawn by the rates of its pairs.
static uint32_t draw_pair(const struct drb_traffic *traffic, struct drb_rng *rng, uint32_t h)
{
	const struct drb_traffic_file *file = traffic->kind.file;
	uint32_t draw;

	if (h >= file->hosts || file->first[h] == file->first[h + 1])
		return DRB_NO_LABEL;
	draw = (uint32_t)(drb_rng_next(rng) >> 33);
	for (uint32_t p = file->first[h]; p < file->first[h + 1]; p++) {
		if (draw < traffic->rate[p])
			return draw_member(file, rng, h, file->to[p]);
		draw -= traffic->rate[p];
	}
	return DRB_NO_LABEL;
}

static void draw_file(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[])
{
	const struct drb_traffic_file *file = traffic->kind.file;

	for (; traffic->next < file->changes && file->change[traffic->next].slot <= slot;
	     traffic->next++)
		traffic->rate[file->change[traffic->next].pair] = file->change[traffic->next].rate;
	for (uint32_t h = 0; h < traffic->hosts; h++)
		dest[h] = draw_pair(traffic, rng, h);
}

static void draw_destinations(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
			      uint32_t dest[])
{
	uint32_t n = traffic->hosts, *map = traffic->map;

	switch (traffic->kind.pattern) {
	case DRB_PATTERN_PERMUTATION:
		drb_shuffle_avoiding(rng, map, NULL, n);
		break;
	case DRB_PATTERN_RANDOM:
		for (uint32_t h = 0; h < n; h++)
			map[h] = other_host(rng, n, h);
		break;
	case DRB_PATTERN_HOTSPOT: // its map lists the hot hosts
		for (uint32_t h = 0; h < n; h++)
			dest[h] = hot_or_other(traffic, rng, h);
		return;
	case DRB_PATTERN_ALL_TO_ALL:
		map_shift(traffic, (uint32_t)(1 + slot % (n - 1)));
		break;
	case DRB_PATTERN_MIXED:
	case DRB_PATTERN_RACKS:
		drb_shuffle_avoiding(rng, map, traffic->order, traffic->free);
		break;
	case DRB_PATTERN_TURNS:
		take_turn(traffic, (uint32_t)(slot % traffic->kind.k), 0, map, n);
		break;
	case DRB_PATTERN_EPOCH:
		if (slot % traffic->kind.k == 0)
			drb_rng_derangement(rng, map, n);
		break;
	case DRB_PATTERN_TRAINS:
		drb_exchange_some(rng, map, traffic->order, n, traffic->kind.k);
		break;
	case DRB_PATTERN_JOBS:
		draw_jobs(traffic, rng, slot, dest);
		return;
	case DRB_PATTERN_ONEWAY:
	case DRB_PATTERN_SINK:
	case DRB_PATTERN_SILENT:
	case DRB_PATTERN_IDLE:
	case DRB_PATTERN_UNEQUAL:
		drb_roles_slot(traffic, rng, dest);
		return;
	case DRB_PATTERN_FILE:
		draw_file(traffic, rng, slot, dest);
		return;
	case DRB_PATTERN_FIXED:
	case DRB_PATTERN_STRIDE:
	case DRB_PATTERN_TORNADO:
	case DRB_PATTERN_TRANSPOSE:
	case DRB_PATTERN_REVERSAL:
	case DRB_PATTERN_INCAST:
	case DRB_PATTERN_COUNT:
		break;
	}
	memcpy(dest, map, n * sizeof(*dest));
}

void drb_traffic_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[])
{
	uint32_t n = traffic->hosts; // N is even: one random number serves two hosts

	draw_destinations(traffic, rng, slot, dest);
	for (uint32_t h = 0; h < n; h += 2) {
		uint64_t bits = drb_rng_next(rng);
		if ((uint32_t)bits >= traffic->send_below)
			dest[h] = DRB_NO_LABEL;
		if (bits >> 32 >= traffic->send_below)
			dest[h + 1] = DRB_NO_LABEL;
	}
}
