// SPDX-License-Identifier: BSD-3-Clause
// Ports as readers of counters see them, and in words what is wrong with them.
#include "switch/links/liveness.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/fabric/names.h"

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX],
		       uint64_t now_ns)
{
	for (uint32_t i = 0; i < l->ports; i++) {
		bool awaited = l->awaited >> i & 1;
		view[i] = (struct drb_port_link){
			.watched = awaited || (l->watched[i] && !l->starts[i]),
			.state = awaited ? DRB_LINK_DOWN : l->port[i].state,
			.needed = l->needed >> i & 1,
			.since_ns = l->port[i].since_ns,
			.hellos_in = l->hellos_in[i],
			.hellos_out = l->hellos_out[i],
			.heard = l->port[i].heard,
			.last = l->port[i].hello,
			.loss_in = drb_loss_share(&l->port[i].loss),
			.short_only = l->port[i].short_hellos >= DRB_SHORT_HELLOS_MAX,
			.hello_faults = drb_hello_faults_now(&l->faults[i], now_ns),
		};
	}
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

// A text that grows, cut where its room ends.
struct text {
	char *at;
	size_t size, used;
};

static void append(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (t->used < t->size)
		t->used += (size_t)vsnprintf(t->at + t->used, t->size - t->used, format, args);
	va_end(args);
}

static void append_state(struct text *t, const struct drb_port_setup *p,
			 const struct drb_port_link *v)
{
	char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX];
	bool misplaced = v->last.from.layer != p->peer.layer || v->last.from.up != p->peer.up ||
			 v->last.from.label != p->peer.label || v->last.from.port != p->peer.port;

	drb_end_name(peer, &p->peer);
	drb_end_name(there, &v->last.from);
	append(t, "%s%s %s", t->used ? "; " : "", p->name, drb_liveness_state(v));
	if (v->state == DRB_LINK_MISWIRED && misplaced)
		append(t, ": move %s to %s", there, peer);
	if (v->state == DRB_LINK_LOSSY && v->short_only)
		append(t, ": loses all long frames from %s", peer);
	else if (v->state == DRB_LINK_LOSSY)
		append(t, ": loses %.1f %% from %s, %.1f %% to it", v->loss_in / 1e4, peer,
		       v->last.loss / 1e4);
}

static void append_faults(struct text *t, const struct drb_port_setup *p,
			  const struct drb_port_link *v)
{
	char peer[DRB_END_NAME_MAX], faults[192];

	drb_end_name(peer, v->heard ? &v->last.from : &p->peer);
	drb_hello_faults_text(v->hello_faults, peer, faults, sizeof(faults));
	append(t, "%s%s: %s", t->used ? "; " : "", p->name, faults);
}

uint32_t drb_liveness_trouble(const struct drb_setup *s,
			      const struct drb_port_link view[DRB_PORTS_MAX], char *text,
			      size_t size)
{
	uint32_t ports = s->down_ports + s->up_ports, usable = 0;
	struct text t = {text, size, 0};

	*text = '\0';
	for (uint32_t i = 0; i < ports; i++) {
		const struct drb_port_link *v = &view[i];
		if (s->ports[i].driver == DRB_DRIVER_NONE)
			append(&t, "%s%s none", t.used ? "; " : "", s->ports[i].name);
		else if (!v->watched || v->state == DRB_LINK_UNKNOWN || v->state == DRB_LINK_UP)
			usable++;
		else
			append_state(&t, &s->ports[i], v);
		if (v->hello_faults)
			append_faults(&t, &s->ports[i], v);
	}
	return usable;
}
