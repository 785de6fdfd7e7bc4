// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/detour.h"

#include "core/links/port_sets.h"
#include "core/math/random.h"

#define SPENT_MAX (DRB_DETOUR_HOPS_MAX / 2)

// A mark taken apart.
struct way {
	uint32_t spent; // extra hops / 2
	uint32_t down;  // layers
};

static struct drb_detour_hop to(uint32_t port, uint32_t spent, uint32_t down)
{
	return (struct drb_detour_hop){.port = (int32_t)port, .mark = (uint8_t)(down << 4 | spent)};
}

static struct drb_detour_hop lost(int32_t why)
{
	return (struct drb_detour_hop){.port = why};
}

static uint64_t bit(uint32_t port)
{
	return UINT64_C(1) << port;
}

static uint64_t downs(const struct drb_detour_node *s, struct drb_usable_ports links)
{
	return s->layer > 1 ? links.usable & drb_ports_below(s->down_ports) : 0;
}

static uint64_t ups(const struct drb_detour_node *s, struct drb_usable_ports links)
{
	return links.usable & ~drb_ports_below(s->down_ports);
}

// A random port of a set that is not empty; `but`, if it is in the set, only if there is no other.
static uint32_t pick(uint64_t ports, uint32_t but, uint64_t draw)
{
	if (ports != bit(but))
		ports &= ~bit(but);
	uint32_t n = drb_scale32((uint32_t)(draw >> 32), (uint32_t)__builtin_popcountll(ports));

	for (; n > 0; n--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

// Up by another port than it came from.
static struct drb_detour_hop up(const struct drb_detour_node *s, struct drb_usable_ports links,
				uint32_t in, uint32_t spent, uint64_t draw)
{
	uint64_t ports = ups(s, links);

	return ports && spent <= SPENT_MAX ? to(pick(ports, in, draw), spent, 0)
					   : lost(DRB_DETOUR_NO_ROUTE);
}

// Begins a way around: so many layers down, by one of the children named.
static struct drb_detour_hop around(const struct drb_detour_node *s, struct drb_usable_ports links,
				    uint64_t children, uint32_t in, struct way w, uint32_t depth,
				    uint64_t draw)
{
	// One that only passes the packet further down need not be able to turn it.
	if (depth == 1 && (s->layer == 2 || (children & ~links.no_alternate)))
		children &= ~links.no_alternate;
	else
		depth = 2;
	if (!children)
		return up(s, links, in, w.spent + 1, draw);
	w.spent += depth;
	return w.spent <= SPENT_MAX ? to(pick(children, in, draw), w.spent, depth)
				    : lost(DRB_DETOUR_NO_ROUTE);
}

// On its way down before it turns.
static struct drb_detour_hop descend(const struct drb_detour_node *s, struct drb_usable_ports links,
				     uint32_t in, struct way w, uint64_t draw)
{
	uint64_t children = downs(s, links) & ~links.no_alternate;

	if (--w.down > 0 && children)
		return to(pick(children, in, draw), w.spent, w.down);
	// With no other uplink it turns one layer deeper, or goes back where it came from.
	uint64_t others = ups(s, links) & ~bit(in);
	if (!others && children)
		return around(s, links, children, in, w, 1, draw);
	// The first time any other uplink will do, so that detours spread. After that the next one
	// in turn, so that no dead end is tried twice before the rest.
	if (others && w.spent > 1) {
		uint64_t after = others >> in << in;
		return to((uint32_t)__builtin_ctzll(after ? after : others), w.spent, 0);
	}
	return up(s, links, in, w.spent, draw);
}

struct drb_detour_hop drb_detour_next(const struct drb_detour_node *s,
				      struct drb_usable_ports links, uint32_t dest, uint32_t in,
				      uint8_t mark, uint64_t draw)
{
	struct way w = {.spent = mark & 0xf, .down = mark >> 4 & 7};
	bool from_above = in >= s->down_ports;

	if ((mark & 0x80) || w.spent > SPENT_MAX)
		return lost(DRB_DETOUR_INVALID);
	if (w.down > 0)
		return from_above ? descend(s, links, in, w, draw) : lost(DRB_DETOUR_INVALID);
	if (!drb_hop_below(&s->hop, dest)) {
		if (from_above)
			return lost(DRB_DETOUR_INVALID);
		if (ups(s, links))
			return up(s, links, in, w.spent, draw);
		// Another parent of a child may have uplinks.
		return around(s, links, downs(s, links), in, w, 1, draw);
	}
	uint32_t port = drb_hop_digit(&s->hop, dest);
	if (port != in && (links.usable & bit(port)))
		return to(port, s->layer > 1 ? w.spent : 0, 0);
	if (s->layer == 1)
		return lost(DRB_DETOUR_HOST_DOWN);
	// Back from where it must go, or around a dead switch: other children are two layers away.
	uint32_t depth = s->layer > 2 && (w.spent > 0 || port == in) ? 2 : 1;
	return around(s, links, downs(s, links) & ~bit(port), in, w, depth, draw);
}
