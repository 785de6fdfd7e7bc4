// SPDX-License-Identifier: BSD-3-Clause
#include "core/traffic/traffic.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const usages[DRB_PATTERN_COUNT] = {
	[DRB_PATTERN_PERMUTATION] = "permutation", [DRB_PATTERN_FIXED] = "fixed",
	[DRB_PATTERN_RANDOM] = "random",           [DRB_PATTERN_MIXED] = "mixed",
	[DRB_PATTERN_STRIDE] = "stride:K",         [DRB_PATTERN_TORNADO] = "tornado",
	[DRB_PATTERN_ALL_TO_ALL] = "all-to-all",   [DRB_PATTERN_TRANSPOSE] = "transpose",
	[DRB_PATTERN_REVERSAL] = "reversal",       [DRB_PATTERN_HOTSPOT] = "hotspot:K",
	[DRB_PATTERN_INCAST] = "incast:K",
};

const char *drb_traffic_usage(enum drb_pattern pattern)
{
	return (unsigned)pattern < DRB_PATTERN_COUNT ? usages[pattern] : NULL;
}

// Length of the name in front of ":K".
static size_t name_length(const char *usage)
{
	return strcspn(usage, ":");
}

int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind)
{
	size_t len = strcspn(text, ":");
	char *end;

	for (int i = 0; i < DRB_PATTERN_COUNT; i++) {
		if (len != name_length(usages[i]) || strncmp(text, usages[i], len) != 0)
			continue;
		if ((text[len] == ':') != (usages[i][len] == ':'))
			return -EINVAL;
		*kind = (struct drb_traffic_kind){.pattern = (enum drb_pattern)i};
		if (text[len] == '\0')
			return 0;
		if (!isdigit((unsigned char)text[len + 1]))
			return -EINVAL;
		unsigned long long k = strtoull(text + len + 1, &end, 10);
		if (*end || k == 0 || k > DRB_HOSTS_MAX)
			return -EINVAL;
		kind->k = (uint32_t)k;
		return 0;
	}
	return -EINVAL;
}

void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX])
{
	const char *usage = usages[kind.pattern];
	size_t len = name_length(usage);

	if (usage[len] == ':')
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "%.*s:%u", (int)len, usage, kind.k);
	else
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "%s", usage);
}

int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts)
{
	return kind.k > (kind.pattern == DRB_PATTERN_HOTSPOT ? hosts : hosts - 1) ? -ERANGE : 0;
}

// The label whose digits, read in base d with the half of the tree split off the top one, are those
// of h moved: digit i of the result is digit from[i] of h. The half is switched.
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

// K hosts and one receiver: the first K + 1 of a random order.
static void map_incast(struct drb_traffic *traffic, struct drb_rng *rng)
{
	uint32_t *order = traffic->fresh;

	drb_rng_permutation(rng, order, traffic->hosts);
	for (uint32_t h = 0; h < traffic->hosts; h++)
		traffic->map[h] = DRB_NO_LABEL;
	for (uint32_t i = 1; i <= traffic->kind.k; i++)
		traffic->map[order[i]] = order[0];
}

// Keeps the images of a random half of the hosts; fresh = the other senders, then the destinations
// that nobody keeps. With two hosts both keep theirs: one alone would have to send to itself.
static void map_mixed(struct drb_traffic *traffic, struct drb_rng *rng)
{
	uint32_t n = traffic->hosts, *order = traffic->fresh;

	drb_rng_permutation(rng, order, n);
	drb_rng_derangement(rng, traffic->map, n);
	traffic->free = n > 2 ? n / 2 : 0;
	// The senders order[0..free) give up their images; two passes over one array.
	uint32_t *dest = order + traffic->free;
	for (uint32_t i = 0; i < traffic->free; i++) {
		dest[i] = traffic->map[order[i]];
		traffic->map[order[i]] = DRB_NO_LABEL;
	}
}

int drb_traffic_init(struct drb_traffic *traffic, const struct drb_tree *t,
		     struct drb_traffic_kind kind, double rho, uint32_t *memory,
		     struct drb_rng *rng)
{
	uint32_t n = t->hosts;

	if (!(rho >= 0 && rho <= 1))
		return -EINVAL;
	if (drb_traffic_fits(kind, n) < 0)
		return -ERANGE;
	*traffic = (struct drb_traffic){
		.kind = kind,
		.hosts = n,
		.send_below = (uint64_t)(rho * 0x1.0p32),
		.map = memory,
		.fresh = memory + n,
	};
	switch (kind.pattern) {
	case DRB_PATTERN_PERMUTATION:
		for (uint32_t h = 0; h < n; h++)
			traffic->fresh[h] = h;
		break;
	case DRB_PATTERN_FIXED:
		drb_rng_derangement(rng, traffic->map, n);
		break;
	case DRB_PATTERN_MIXED:
		map_mixed(traffic, rng);
		break;
	case DRB_PATTERN_STRIDE:
		map_shift(traffic, kind.k);
		break;
	case DRB_PATTERN_TORNADO:
		map_shift(traffic, n > 2 ? n / 2 - 1 : 1);
		break;
	case DRB_PATTERN_TRANSPOSE:
	case DRB_PATTERN_REVERSAL:
		map_digits(traffic, t);
		break;
	case DRB_PATTERN_INCAST:
		map_incast(traffic, rng);
		break;
	case DRB_PATTERN_HOTSPOT: // the K first of a random order are hot
		drb_rng_permutation(rng, traffic->map, n);
		break;
	case DRB_PATTERN_RANDOM:
	case DRB_PATTERN_ALL_TO_ALL:
	case DRB_PATTERN_COUNT:
		break;
	}
	return 0;
}

// Uniformly random among the hosts other than h.
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

// Puts to[0..n) in uniformly random order such that to[i] != from[i] (from NULL: i itself): a
// Fisher-Yates shuffle from the top, begun again at the first place that fails. Entries above i are
// final, so failing early is as good as drawing the rest: every allowed order is equally likely.
static void shuffle_avoiding(struct drb_rng *rng, uint32_t to[], const uint32_t from[], uint32_t n)
{
	for (uint32_t i = n; i > 0;) {
		uint32_t j = drb_rng_below(rng, i);
		uint32_t x = to[j];
		i--;
		to[j] = to[i];
		to[i] = x;
		if (x == (from ? from[i] : i))
			i = n;
	}
}

static void draw_destinations(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
			      uint32_t dest[])
{
	uint32_t n = traffic->hosts, *to = traffic->fresh + traffic->free;

	switch (traffic->kind.pattern) {
	case DRB_PATTERN_PERMUTATION:
		shuffle_avoiding(rng, traffic->fresh, NULL, n);
		memcpy(dest, traffic->fresh, n * sizeof(*dest));
		break;
	case DRB_PATTERN_RANDOM:
		for (uint32_t h = 0; h < n; h++)
			dest[h] = other_host(rng, n, h);
		break;
	case DRB_PATTERN_HOTSPOT:
		for (uint32_t h = 0; h < n; h++)
			dest[h] = hot_or_other(traffic, rng, h);
		break;
	case DRB_PATTERN_ALL_TO_ALL:
		for (uint32_t h = 0; h < n; h++)
			dest[h] = (uint32_t)((h + 1 + slot % (n - 1)) % n);
		break;
	case DRB_PATTERN_MIXED:
		shuffle_avoiding(rng, to, traffic->fresh, traffic->free);
		memcpy(dest, traffic->map, n * sizeof(*dest));
		for (uint32_t i = 0; i < traffic->free; i++)
			dest[traffic->fresh[i]] = to[i];
		break;
	case DRB_PATTERN_FIXED:
	case DRB_PATTERN_STRIDE:
	case DRB_PATTERN_TORNADO:
	case DRB_PATTERN_TRANSPOSE:
	case DRB_PATTERN_REVERSAL:
	case DRB_PATTERN_INCAST:
	case DRB_PATTERN_COUNT:
		memcpy(dest, traffic->map, n * sizeof(*dest));
		break;
	}
}

void drb_traffic_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint64_t slot,
		      uint32_t dest[])
{
	uint32_t n = traffic->hosts; // N is even: two hosts a draw

	draw_destinations(traffic, rng, slot, dest);
	for (uint32_t h = 0; h < n; h += 2) {
		uint64_t bits = drb_rng_next(rng);
		if ((uint32_t)bits >= traffic->send_below)
			dest[h] = DRB_NO_LABEL;
		if (bits >> 32 >= traffic->send_below)
			dest[h + 1] = DRB_NO_LABEL;
	}
}
