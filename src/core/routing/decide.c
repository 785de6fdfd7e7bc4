// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/decide.h"

#include "core/links/port_sets.h"

uint32_t drb_choose_among(const struct drb_choice *c, uint64_t usable, const uint32_t *load,
			  const struct drb_decision *d)
{
	uint32_t port[DRB_USABLE_UPLINKS_MAX], among[DRB_USABLE_UPLINKS_MAX];
	uint32_t n = 0, def = UINT32_MAX;
	struct drb_choice choice = *c;

	usable &= drb_ports_below(c->uplinks);
	if (c->uplinks < 2 || !usable || usable == drb_ports_below(c->uplinks))
		return drb_choose(c, load, d->def, d->flow, d->draw);
	if (drb_scheme_has(c->scheme, DRB_READS_FLOW)) {
		uint32_t up = drb_choose(c, load, d->def, d->flow, d->draw);
		if (usable >> up & 1)
			return up;
	}
	for (uint32_t u = 0; u < c->uplinks; u++) {
		if (!(usable >> u & 1))
			continue;
		if (u == d->def)
			def = n;
		port[n] = u;
		among[n++] = load[u];
	}
	if (def == UINT32_MAX)
		def = drb_scale32((uint32_t)drb_mix64(d->draw), n);
	choice.uplinks = n;
	return port[drb_choose(&choice, among, def, drb_mix64(d->flow), d->draw)];
}

static uint32_t decide_among(struct drb_decider *s, uint64_t usable, const uint32_t *load,
			     struct drb_decision *d)
{
	if (usable == drb_ports_below(s->choice.uplinks))
		return drb_decide_uplink(s, (struct drb_loads){.at = load}, d);
	if (s->choice.scheme == DRB_SCHEME_ROTATE)
		d->def = drb_shifted(d->def, s->shift, s->choice.uplinks);
	return drb_choose_among(&s->choice, usable, load, d);
}

static int32_t detour(const struct drb_detour_node *node, struct drb_usable_ports links,
		      struct drb_decision *d)
{
	const struct drb_detour_packet packet = {d->dest, d->port, d->detour, d->draw};
	struct drb_detour_hop to = drb_detour_next(node, links, &packet);

	if (to.port == DRB_DETOUR_NO_ROUTE && links.drained) {
		// Rather by a drained port than lost: it came before all neighbours knew.
		links.usable |= links.drained;
		to = drb_detour_next(node, links, &packet);
	}
	d->detour = to.mark;
	d->detoured = true;
	return to.port;
}

int32_t drb_decide(struct drb_decider *s, const struct drb_detour_node *node,
		   struct drb_usable_ports links, const uint32_t *load, struct drb_decision *d)
{
	bool below = drb_hop_below(&node->hop, d->dest);
	uint32_t digit = drb_hop_digit(&node->hop, d->dest);
	uint64_t uplinks = drb_ports_from(links.usable, node->down_ports);

	d->walks = d->detoured = false;
	if (!d->detour && below && digit != d->port && (links.usable >> digit & 1))
		return (int32_t)digit;
	if (!d->detour && !below && d->port < node->down_ports && uplinks) {
		d->def = digit;
		return (int32_t)(node->down_ports + decide_among(s, uplinks, load, d));
	}
	return detour(node, links, d);
}
