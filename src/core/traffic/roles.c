// SPDX-License-Identifier: BSD-3-Clause
#include "core/traffic/roles.h"

#include <string.h>

#include "core/traffic/shuffle.h"

#define ALWAYS UINT32_MAX // weight of a host that sends in every slot
#define SENDS_LITTLE 0.1

static uint32_t weight_of(double share)
{
	return share < 1 ? (uint32_t)(share * 0x1p32) : ALWAYS;
}

static uint32_t share_of(double share, uint32_t count)
{
	return (uint32_t)(share * count + 0.5);
}

// The inputs of a draw of roles.
struct roles {
	struct drb_traffic *traffic;
	struct drb_rng *rng;
	uint32_t racks, hosts; // number of racks; hosts of a rack
	// Number of pods, the subtrees below the ports of a core; hosts of a pod.
	uint32_t pods, in_pod;
	uint32_t *rack; // racks in random order
};

// Lists the racks in random order; those of the pods pod[0..first) come first.
static void order_racks(struct roles *r, const uint32_t pod[], uint32_t first)
{
	uint32_t *order = r->traffic->order, n = 0;

	drb_rng_permutation(r->rng, r->rack, r->racks);
	for (int front = 1; front >= 0; front--) {
		for (uint32_t i = 0; i < r->racks; i++) {
			const uint32_t host = r->rack[i] * r->hosts;
			uint32_t at = 0;
			while (at < first && pod[at] != host / r->in_pod)
				at++;
			for (uint32_t h = 0; (at < first) == front && h < r->hosts; h++)
				order[n++] = host + h;
		}
	}
}

static void set_weights(struct roles *r, uint32_t from, uint32_t to, double share)
{
	for (uint32_t i = from; i < to; i++)
		r->traffic->weight[r->traffic->order[i]] = weight_of(share);
}

// Each of the first n hosts of the order gets another of them as its destination.
static void match(struct roles *r, uint32_t n)
{
	uint32_t *map = r->traffic->map, *order = r->traffic->order;

	for (uint32_t i = 0; i < n; i++)
		map[order[i]] = order[i];
	drb_shuffle_avoiding(r->rng, map, order, n);
}

// Half of the pods send to the other half, which answers.
static void draw_oneway(struct roles *r)
{
	struct drb_traffic *traffic = r->traffic;
	const uint32_t half = traffic->hosts / 2, senders = half / r->hosts;
	uint32_t *map = traffic->map, *order = traffic->order;

	drb_rng_permutation(r->rng, map, r->pods); // map is not in use yet
	order_racks(r, map, r->pods / 2);
	for (uint32_t i = 0; i < half; i++) {
		map[order[i]] = order[half + i];
		map[order[half + i]] = order[i];
	}
	drb_shuffle_avoiding(r->rng, map, order, half);
	set_weights(r, half, traffic->hosts, traffic->kind.answers);
	traffic->free = half - share_of(traffic->kind.share, senders) * r->hosts;
	traffic->answering = half;
}

// One pod only receives. A share of its hosts receive all their packets from one host each, in
// other pods. The senders of a rack keep destinations below one of its uplinks. The pod's own hosts
// have destinations, too, but weight 0.
static void draw_sink(struct roles *r)
{
	struct drb_traffic *traffic = r->traffic;
	const uint32_t pod = drb_rng_below(r->rng, r->pods), n = traffic->hosts;
	const uint32_t lines = r->in_pod / r->hosts; // hosts of the pod with the same last digit
	uint32_t kept = share_of(traffic->kind.share, r->in_pod / r->hosts) * r->hosts;
	uint32_t *map = traffic->map, *order = traffic->order;

	order_racks(r, &pod, 1);
	match(r, n);
	kept = kept < n - r->in_pod ? kept : n - r->in_pod;
	for (uint32_t i = 0; i < kept; i++) {
		const uint32_t h = order[n - 1 - i];
		const uint32_t to = pod * r->in_pod + i % lines * r->hosts + i / lines;
		uint32_t other = 0;
		while (map[other] != to)
			other++;
		map[other] = map[h];
		map[h] = to;
	}
	set_weights(r, 0, r->in_pod, 0);
	traffic->free = n - kept;
}

// Only the first n hosts of the order send and receive.
static void match_first(struct roles *r, uint32_t n)
{
	match(r, n);
	for (uint32_t i = n; i < r->traffic->hosts; i++)
		r->traffic->map[r->traffic->order[i]] = DRB_NO_LABEL;
}

// A share of the racks neither sends nor receives. Half of the others keep their destinations.
static void draw_silent(struct roles *r)
{
	struct drb_traffic *traffic = r->traffic;
	uint32_t silent = share_of(traffic->kind.share, r->racks);

	order_racks(r, NULL, 0);
	while (silent > 0 && (r->racks - silent) * r->hosts < 2)
		silent--;
	const uint32_t racks = r->racks - silent;
	match_first(r, racks * r->hosts);
	traffic->free = racks / 2 * r->hosts;
}

// A share of the hosts neither sends nor receives. The others get a fresh permutation in every
// slot.
static void draw_idle(struct roles *r)
{
	struct drb_traffic *traffic = r->traffic;
	const uint32_t idle = share_of(traffic->kind.share, traffic->hosts);

	traffic->free = idle > traffic->hosts - 2 ? 2 : traffic->hosts - idle;
	drb_rng_permutation(r->rng, traffic->order, traffic->hosts);
	match_first(r, traffic->free);
}

// A share of the racks sends in all slots, the others in a tenth. Half of all racks keep their
// destinations.
static void draw_unequal(struct roles *r)
{
	struct drb_traffic *traffic = r->traffic;
	const uint32_t n = traffic->hosts, much = share_of(traffic->kind.share, r->racks);

	order_racks(r, NULL, 0);
	set_weights(r, much * r->hosts, n, SENDS_LITTLE);
	order_racks(r, NULL, 0);
	match(r, n);
	traffic->free = r->racks / 2 * r->hosts;
}

void drb_roles_draw(struct drb_traffic *traffic, const struct drb_tree *t, struct drb_rng *rng)
{
	const uint32_t racks = drb_tree_switches(t, 1);
	struct roles r = {traffic,
			  rng,
			  racks,
			  t->hosts / racks,
			  2 * t->arity,
			  t->hosts / (2 * t->arity),
			  traffic->weight + t->hosts};

	for (uint32_t h = 0; h < t->hosts; h++)
		traffic->weight[h] = ALWAYS;
	switch (traffic->kind.pattern) {
	case DRB_PATTERN_ONEWAY:
		draw_oneway(&r);
		break;
	case DRB_PATTERN_SINK:
		draw_sink(&r);
		break;
	case DRB_PATTERN_SILENT:
		draw_silent(&r);
		break;
	case DRB_PATTERN_IDLE:
		draw_idle(&r);
		break;
	default:
		draw_unequal(&r);
		break;
	}
}

void drb_roles_slot(struct drb_traffic *traffic, struct drb_rng *rng, uint32_t dest[])
{
	const uint32_t n = traffic->hosts;

	drb_shuffle_avoiding(rng, traffic->map, traffic->order, traffic->free);
	drb_shuffle_avoiding(rng, traffic->map, traffic->order + n - traffic->answering,
			     traffic->answering);
	memcpy(dest, traffic->map, n * sizeof(*dest));
	for (uint32_t h = 0; h < n; h++) {
		if (traffic->weight[h] != ALWAYS &&
		    (uint32_t)drb_rng_next(rng) >= traffic->weight[h])
			dest[h] = DRB_NO_LABEL;
	}
}
