// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/decide.h"

#include "core/links/port_sets.h"

uint32_t drb_decide_among(const struct drb_decider *s, uint64_t usable, const uint32_t *load,
			  struct drb_decision *d)
{
	const struct drb_scheme_ops *ops = s->choice.ops;
	const struct drb_loads loads = {load};
	const uint64_t all = drb_ports_below(s->choice.uplinks);

	usable &= all;
	if (s->choice.uplinks < 2 || !usable || usable == all)
		return drb_decide_uplink(s, loads, d);
	return ops->choose_among ? ops->choose_among(s, usable, loads, d)
				 : drb_among(s, usable, loads, d, ops->choose);
}

static int32_t detour(const struct drb_detour_node *node, struct drb_usable_ports links,
		      struct drb_decision *d)
{
	const struct drb_detour_packet packet = {d->dest, d->port, d->detour, d->draw};
	struct drb_detour_hop to = drb_detour_next(node, links, &packet);

	if (to.port == DRB_DETOUR_NO_ROUTE && links.drained) {
		// A drained port is better than a loss: the packet was sent before all neighbours
		// knew the outages.
		links.usable |= links.drained;
		to = drb_detour_next(node, links, &packet);
	}
	d->detour = to.mark;
	d->detoured = true;
	return to.port;
}

enum { NOT_ROUTED = -100 };

// The ports from which shortest paths to the destination begin.
static uint64_t routed_ports(const struct drb_detour_node *node, struct drb_usable_ports links,
			     const struct drb_decision *d)
{
	const uint64_t usable = links.usable | links.drained, in = UINT64_C(1) << d->port;
	uint64_t ports = usable & ~drb_ports_below(node->down_ports);

	if (links.routes)
		ports = usable & links.routes[drb_div(d->dest, &node->hop.by_arity)];
	else if (drb_hop_below(&node->hop, d->dest))
		ports = usable & UINT64_C(1) << drb_hop_digit(&node->hop, d->dest);
	// Sends the packet back only if there is no other port: its sender may not know the outage
	// yet.
	return ports == in ? ports : ports & ~in;
}

static uint32_t draw_port(uint64_t ports, uint64_t draw)
{
	uint32_t n = drb_scale32((uint32_t)(draw >> 32), (uint32_t)__builtin_popcountll(ports));

	for (; n > 0; n--)
		ports &= ports - 1;
	return (uint32_t)__builtin_ctzll(ports);
}

// Follows the known outages. If the path of a packet does not go up and then down, the packet is
// marked until it arrives. NOT_ROUTED: no path is known, or the neighbours would not know it yet.
static int32_t by_routes(const struct drb_decider *s, const struct drb_detour_node *node,
			 struct drb_usable_ports links, const uint32_t *load,
			 struct drb_decision *d)
{
	const uint64_t ports = routed_ports(node, links, d);
	const uint64_t ups = drb_ports_from(ports, node->down_ports);
	const bool below = drb_hop_below(&node->hop, d->dest);
	const uint32_t digit = drb_hop_digit(&node->hop, d->dest);
	const bool down = below && (ports >> digit & 1);
	const bool usual = below ? down && digit != d->port : ups && d->port < node->down_ports;

	if (!ports || (!usual && !d->detour && !links.settled))
		return d->detour ? DRB_DETOUR_NO_ROUTE : NOT_ROUTED;
	if (!usual || d->detour) {
		const uint32_t hops = (d->detour & ~DRB_DETOUR_ROUTED) + 1;
		if (hops > DRB_ROUTED_HOPS_MAX)
			return DRB_DETOUR_NO_ROUTE;
		d->detour = (uint8_t)(DRB_DETOUR_ROUTED | hops);
		d->detoured = true;
	}
	d->def = drb_hop_default(&node->hop, d->dest);
	if (down)
		return (int32_t)digit;
	if (ups)
		return (int32_t)(node->down_ports + drb_decide_among(s, ups, load, d));
	return (int32_t)draw_port(ports, d->draw);
}

// Ends the path of a marked packet at its host's switch.
static int32_t arrive(const struct drb_detour_node *node, struct drb_usable_ports links,
		      struct drb_decision *d)
{
	const uint32_t port = drb_hop_digit(&node->hop, d->dest);

	d->detour = 0;
	d->detoured = true;
	return links.usable >> port & 1 ? (int32_t)port : DRB_DETOUR_HOST_DOWN;
}

// True for a packet on its usual path that routes may redirect. Routes do not redirect a packet for
// a host of this switch, or a packet from above whose destination is not below.
static bool may_follow_routes(const struct drb_detour_node *node, const struct drb_decision *d,
			      bool below)
{
	return !d->detour && (below ? node->layer > 1 : d->port < node->down_ports);
}

int32_t drb_decide(const struct drb_decider *s, const struct drb_detour_node *node,
		   struct drb_usable_ports links, const uint32_t *load, struct drb_decision *d)
{
	bool below = drb_hop_below(&node->hop, d->dest);
	uint32_t digit = drb_hop_digit(&node->hop, d->dest);
	uint64_t uplinks = drb_ports_from(links.usable, node->down_ports);

	d->walks = d->detoured = false;
	if (d->detour & DRB_DETOUR_ROUTED && below && node->layer == 1)
		return arrive(node, links, d);
	if (d->detour & DRB_DETOUR_ROUTED || (links.routes && may_follow_routes(node, d, below))) {
		int32_t out = by_routes(s, node, links, load, d);
		if (out != NOT_ROUTED)
			return out;
	}
	if (!d->detour && below && digit != d->port && (links.usable >> digit & 1))
		return (int32_t)digit;
	if (!d->detour && !below && d->port < node->down_ports && uplinks) {
		d->def = drb_hop_default(&node->hop, d->dest);
		return (int32_t)(node->down_ports + drb_decide_among(s, uplinks, load, d));
	}
	return detour(node, links, d);
}
