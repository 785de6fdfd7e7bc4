// SPDX-License-Identifier: BSD-3-Clause
// Messages about the state of ports.
#include "switch/links/liveness.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/cli/log.h"
#include "core/fabric/names.h"

// False if the port has used up the lines of its window.
static bool may_log(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	struct drb_log_budget *log = &l->log[i];

	if (now_ns - log->since_ns > DRB_LOG_WINDOW_NS) {
		if (log->left_out > 0)
			drb_warn("port %s: %u more changes of its state were not logged",
				 l->setup[i].name, log->left_out);
		*log = (struct drb_log_budget){.since_ns = now_ns};
	}
	if (log->lines == DRB_LOG_LINES) {
		log->left_out++;
		return false;
	}
	log->lines++;
	return true;
}

static void log_lossy(const struct drb_link *p, const char *name, const char *peer)
{
	const uint32_t share = p->lossy ? drb_loss_share(&p->loss) : p->hello.loss;

	if (p->lossy && p->short_hellos >= DRB_SHORT_HELLOS_MAX)
		drb_warn("port %s: lossy, loses all long frames from %s: used only where there is "
			 "no other path",
			 name, peer);
	else
		drb_warn("port %s: lossy, loses %.1f %% %s %s: used only where there is no other "
			 "path",
			 name, share / 1e4, p->lossy ? "from" : "to", peer);
}

void drb_liveness_log(struct drb_liveness *l, uint32_t i, enum drb_link_state before,
		      uint64_t now_ns)
{
	const struct drb_link *p = &l->port[i];
	const char *name = l->setup[i].name;
	char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX];

	if (!may_log(l, i, now_ns))
		return;
	drb_end_name(peer, &p->setup.peer);
	drb_end_name(there, &p->hello.from);
	switch (p->state) {
	case DRB_LINK_MISWIRED:
		if (p->hello.fabric != p->setup.fabric)
			drb_warn("port %s: miswired, not used: its cable goes to %s of another "
				 "fabric, plug it into %s of this one",
				 name, there, peer);
		else if (p->hello.mac != p->setup.mac)
			drb_warn("port %s: miswired, not used: %s has another fabric.mac", name,
				 there);
		else
			drb_warn("port %s: miswired, not used: move the far end of its cable from "
				 "%s to %s",
				 name, there, peer);
		break;
	case DRB_LINK_DOWN:
		if (!p->carrier)
			drb_warn("port %s: down, no carrier (to %s)", name, peer);
		else if (p->heard && p->deaf >= DRB_HELLO_MISSES)
			drb_warn("port %s: down, %s does not hear our hellos", name, peer);
		else
			drb_warn("port %s: down, no hello from %s", name, peer);
		break;
	case DRB_LINK_FLAPPING:
		drb_warn("port %s: flapping, %u times down: used only where there is no other path "
			 "until it has been up for %u s",
			 name, p->flaps, (unsigned)((p->release_ns - p->flap_ns) / 1000000000));
		break;
	case DRB_LINK_LOSSY:
		log_lossy(p, name, peer);
		break;
	case DRB_LINK_DRAINED:
		drb_info("port %s: drained, no new traffic to %s", name, peer);
		break;
	case DRB_LINK_DRAINED_BY_NEIGHBOUR:
		drb_info("port %s: drained by %s, no new traffic to it", name, peer);
		break;
	default:
		if (before != DRB_LINK_UNKNOWN)
			drb_info("port %s: up again", name);
		break;
	}
}

void drb_liveness_log_needed(struct drb_liveness *l, uint32_t i, bool needed, uint64_t now_ns)
{
	const char *name = l->setup[i].name;
	char peer[DRB_END_NAME_MAX];

	if (!may_log(l, i, now_ns))
		return;
	drb_end_name(peer, &l->port[i].setup.peer);
	if (needed)
		drb_warn("port %s: %s, but still used: no other path to or from %s is left", name,
			 drb_link_state_name(l->port[i].state), peer);
	else
		drb_info("port %s: not needed any more", name);
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
	char peer[DRB_END_NAME_MAX], faults[128];

	drb_end_name(peer, v->heard ? &v->last.from : &p->peer);
	drb_hello_faults_text(v->hello_faults, faults, sizeof(faults));
	append(t, "%s%s: %s %s", t->used ? "; " : "", p->name, peer, faults);
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
