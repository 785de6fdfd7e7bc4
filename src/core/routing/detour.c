// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/detour.h"

#include "core/links/port_sets.h"
#include "core/math/random.h"

#define SPENT_MAX (DRB_DETOUR_HOPS_MAX / 2)

// A packet at a switch, with the parts of its mark.
struct visit {
	const struct drb_detour_node *node;
	struct drb_usable_ports links;
	uint32_t in;
	uint64_t draw;
	uint32_t spent; // extra hops / 2
	uint32_t down;  // layers still to go down
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

static uint64_t downs(const struct visit *v)
{
	const struct drb_detour_node *n = v->node;

	return n->layer > 1 ? v->links.usable & drb_ports_below(n->down_ports) : 0;
}

static uint64_t ups(const struct visit *v)
{
	return v->links.usable & ~drb_ports_below(v->node->down_ports);
}

// A random port of a non-empty set. Returns the input port only if the set has no other.
static uint32_t pick(const struct visit *v, uint64_t ports)
{
	if (ports != bit(v->in))
		ports &= ~bit(v->in);
	uint32_t n = drb_scale32((uint32_t)(v->draw >> 32), (uint32_t)__builtin_popcountll(ports));

	for (; n > 0; n--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

// Sends the packet up by a port other than its input port if there is one.
static struct drb_detour_hop up(const struct visit *v, uint32_t spent)
{
	uint64_t ports = ups(v);

	return ports && spent <= SPENT_MAX ? to(pick(v, ports), spent, 0)
					   : lost(DRB_DETOUR_NO_ROUTE);
}

// Begins a detour: `depth` layers down by one of these children.
static struct drb_detour_hop detour_begin(const struct visit *v, uint64_t children, uint32_t depth)
{
	uint64_t no_alternate = v->links.no_alternate;

	// A child that only sends the packet further down needs no alternate uplink.
	if (depth == 1 && (v->node->layer == 2 || (children & ~no_alternate)))
		children &= ~no_alternate;
	else
		depth = 2;
	if (!children)
		return up(v, v->spent + 1);
	uint32_t spent = v->spent + depth;
	return spent <= SPENT_MAX ? to(pick(v, children), spent, depth) : lost(DRB_DETOUR_NO_ROUTE);
}

// Continues downwards before the packet goes up again.
static struct drb_detour_hop descend(const struct visit *v)
{
	uint64_t children = downs(v) & ~v->links.no_alternate;

	if (v->down > 1 && children)
		return to(pick(v, children), v->spent, v->down - 1);
	// Without another uplink the packet goes one layer deeper, or back.
	uint64_t others = ups(v) & ~bit(v->in);
	if (!others && children)
		return detour_begin(v, children, 1);
	// The first detour takes any other uplink, so that detours are spread. Later ones take the
	// next uplink by number, so that no dead end is tried twice before all others were tried.
	if (others && v->spent > 1) {
		uint64_t after = others >> v->in << v->in;
		return to((uint32_t)__builtin_ctzll(after ? after : others), v->spent, 0);
	}
	return up(v, v->spent);
}

struct drb_detour_hop drb_detour_next(const struct drb_detour_node *node,
				      struct drb_usable_ports links,
				      const struct drb_detour_packet *packet)
{
	const struct visit v = {.node = node,
				.links = links,
				.in = packet->in,
				.draw = packet->draw,
				.spent = packet->mark & 0xf,
				.down = packet->mark >> 4 & 7};
	bool from_above = v.in >= node->down_ports;

	if ((packet->mark & 0x80) || v.spent > SPENT_MAX)
		return lost(DRB_DETOUR_INVALID);
	if (v.down > 0)
		return from_above ? descend(&v) : lost(DRB_DETOUR_INVALID);
	if (!drb_hop_below(&node->hop, packet->dest)) {
		if (from_above)
			return lost(DRB_DETOUR_INVALID);
		if (ups(&v))
			return up(&v, v.spent);
		// Another parent of a child may have uplinks.
		return detour_begin(&v, downs(&v), 1);
	}
	uint32_t port = drb_hop_digit(&node->hop, packet->dest);
	if (port != v.in && (links.usable & bit(port)))
		return to(port, node->layer > 1 ? v.spent : 0, 0);
	if (node->layer == 1)
		return lost(DRB_DETOUR_HOST_DOWN);
	// The packet came from the port it needs, or must pass a dead switch: other children are
	// two layers away.
	uint32_t depth = node->layer > 2 && (v.spent > 0 || port == v.in) ? 2 : 1;
	return detour_begin(&v, downs(&v) & ~bit(port), depth);
}
