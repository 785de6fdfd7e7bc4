// SPDX-License-Identifier: BSD-3-Clause
// The state of ports for readers of counters, and faults of ports in words.
#include "switch/links/liveness.h"

#include <stdio.h>

#include "common/cli/text.h"
#include "core/fabric/names.h"

struct drb_port_link drb_liveness_view_port(const struct drb_liveness *l, uint32_t i,
					    uint64_t now_ns)
{
	const struct drb_link *p = &l->port[i].link;
	const uint64_t trusted_ns = p->lossy ? p->lossy_ns + p->trust_ns : 0;
	const bool off = l->off >> i & 1, dead = off || (l->awaited >> i & 1);

	return (struct drb_port_link){
		.watched = dead || (l->port[i].watched && !l->port[i].starts),
		.state = dead ? DRB_LINK_DOWN : p->state,
		.off = off,
		.needed = !off && (l->needed >> i & 1),
		.since_ns = p->since_ns,
		.hellos_in = l->port[i].hellos_in,
		.hellos_out = l->port[i].hellos_out,
		.heard = p->heard,
		.last = p->hello,
		.loss_in = drb_loss_share(&p->loss),
		.short_only = p->short_hellos >= DRB_SHORT_HELLOS_MAX,
		.lossy = p->lossy,
		.held_ns = trusted_ns > now_ns ? trusted_ns - now_ns : 0,
		.hello_faults = drb_hello_faults_now(&l->port[i].faults, now_ns),
	};
}

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX],
		       uint64_t now_ns)
{
	for (uint32_t i = 0; i < l->ports; i++)
		view[i] = drb_liveness_view_port(l, i, now_ns);
}

#define SHARE_SHOWN 500 // millionths, the least that does not print as 0.0 %

void drb_liveness_lossy_text(const struct drb_port_link *v, const char *peer, char *text,
			     size_t size)
{
	if (v->lossy && v->short_only)
		snprintf(text, size, "loses all long frames from %s", peer);
	else if (v->loss_in >= SHARE_SHOWN || v->last.loss >= SHARE_SHOWN)
		snprintf(text, size, "loses %.1f %% from %s, %.1f %% to it", v->loss_in / 1e4, peer,
			 v->last.loss / 1e4);
	else if (v->lossy)
		snprintf(text, size, "lost frames from %s, to be trusted in %u s at the earliest",
			 peer, (unsigned)(v->held_ns / 1000000000 + 1));
	else
		snprintf(text, size, "lost frames to %s, which does not trust it yet", peer);
}

const char *drb_liveness_state(const struct drb_port_link *v)
{
	if (!v->needed)
		return drb_link_state_name(v->state);
	switch (v->state) {
	case DRB_LINK_DRAINED:
		return "drained, still needed";
	case DRB_LINK_FLAPPING:
		return "flapping, still needed";
	case DRB_LINK_LOSSY:
		return "lossy, still needed";
	default:
		return "drained by neighbour, still needed";
	}
}

// Separator between text and an addition to it.
static const char *comma(const char *text)
{
	return *text ? "; " : "";
}

static void add_state(const struct drb_port_setup *p, const struct drb_port_link *v, char *text,
		      size_t size)
{
	char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX], losses[128];
	const uint32_t no_cable = 1u << DRB_HELLO_FAULT_FABRIC | 1u << DRB_HELLO_FAULT_TWICE;
	bool misplaced = v->last.from.layer != p->peer.layer || v->last.from.up != p->peer.up ||
			 v->last.from.label != p->peer.label || v->last.from.port != p->peer.port;

	drb_end_name(peer, &p->peer);
	drb_end_name(there, &v->last.from);
	drb_text_add(text, size, "%s%s %s%s", comma(text), p->name, drb_liveness_state(v),
		     v->off ? " by order" : "");
	if (v->state == DRB_LINK_MISWIRED && misplaced && !(v->hello_faults & no_cable))
		drb_text_add(text, size, ": move %s to %s", there, peer);
	if (v->state == DRB_LINK_LOSSY) {
		drb_liveness_lossy_text(v, peer, losses, sizeof(losses));
		drb_text_add(text, size, ": %s", losses);
	}
}

static void add_faults(const struct drb_port_setup *p, const struct drb_port_link *v, char *text,
		       size_t size)
{
	char peer[DRB_END_NAME_MAX], faults[192];

	drb_end_name(peer, v->heard ? &v->last.from : &p->peer);
	drb_hello_faults_text(v->hello_faults, peer, faults, sizeof(faults));
	drb_text_add(text, size, "%s%s: %s", comma(text), p->name, faults);
}

uint32_t drb_liveness_trouble(const struct drb_setup *s,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size)
{
	uint32_t ports = s->down_ports + s->up_ports, usable = 0;
	for (uint32_t i = 0; i < ports; i++) {
		const struct drb_port_link *v = &view[i];
		if (s->ports[i].driver == DRB_DRIVER_NONE)
			drb_text_add(text, size, "%s%s none", comma(text), s->ports[i].name);
		else if (!v->watched || v->state == DRB_LINK_UNKNOWN || v->state == DRB_LINK_UP)
			usable++;
		else
			add_state(&s->ports[i], v, text, size);
		if (v->hello_faults)
			add_faults(&s->ports[i], v, text, size);
	}
	return usable;
}
