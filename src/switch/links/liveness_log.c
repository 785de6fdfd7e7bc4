// SPDX-License-Identifier: BSD-3-Clause
// Messages about the state of ports.
#include "switch/links/liveness.h"

#include <stdio.h>

#include "common/cli/log.h"
#include "core/fabric/names.h"

// False if the lines of this window are used up. who: the subject of the message, "port u0".
static bool may_log(struct drb_log_budget *log, const char *who, uint64_t now_ns)
{
	if (now_ns - log->since_ns > DRB_LOG_WINDOW_NS) {
		if (log->left_out > 0)
			drb_warn("%s: %u more changes of its state were not logged", who,
				 log->left_out);
		*log = (struct drb_log_budget){.since_ns = now_ns};
	}
	if (log->lines == DRB_LOG_LINES) {
		log->left_out++;
		return false;
	}
	log->lines++;
	return true;
}

static bool may_log_port(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	char who[DRB_NAME_MAX + 8];

	snprintf(who, sizeof(who), "port %s", l->port[i].setup.name);
	return may_log(&l->port[i].log, who, now_ns);
}

static void say_down(const struct drb_liveness *l, uint32_t i, const char *peer, uint64_t now_ns)
{
	const struct drb_liveness_port *port = &l->port[i];
	const struct drb_link *p = &port->link;
	const char *name = port->setup.name;

	if (l->off >> i & 1)
		drb_info("port %s: down by order (to %s)", name, peer);
	else if (!p->carrier)
		drb_warn("port %s: down, no carrier (to %s)", name, peer);
	else if (p->heard && p->deaf >= DRB_HELLO_MISSES)
		drb_warn("port %s: down, %s does not hear our hellos", name, peer);
	else if (drb_hello_faults_now(&port->faults, now_ns) & 1u << DRB_HELLO_FAULT_VERSION)
		drb_warn("port %s: down, %s sends hellos of another version", name, peer);
	else
		drb_warn("port %s: down, no hello from %s", name, peer);
}

void drb_liveness_log(struct drb_liveness *l, uint32_t i, enum drb_link_state before,
		      uint64_t now_ns)
{
	const struct drb_link *p = &l->port[i].link;
	const char *name = l->port[i].setup.name;
	char peer[DRB_END_NAME_MAX], there[DRB_END_NAME_MAX], losses[128];
	struct drb_port_link view;

	if (!may_log_port(l, i, now_ns))
		return;
	drb_end_name(peer, &p->setup.peer);
	drb_end_name(there, &p->hello.from);
	switch (p->state) {
	case DRB_LINK_MISWIRED:
		if (p->hello.fabric != p->setup.fabric)
			drb_warn("port %s: miswired, not used: its cable goes to %s, whose "
				 "fabric has another name, layers, arity or uplinks: give both the "
				 "same, or plug it into %s of this one",
				 name, there, peer);
		else if (drb_hello_faults_now(&l->port[i].faults, now_ns) &
			 1u << DRB_HELLO_FAULT_TWICE)
			drb_warn("port %s: miswired, not used: %s is there twice", name, there);
		else if (p->hello.mac != p->setup.mac)
			drb_warn("port %s: miswired, not used: %s has another fabric.mac", name,
				 there);
		else
			drb_warn("port %s: miswired, not used: move the far end of its cable from "
				 "%s to %s",
				 name, there, peer);
		break;
	case DRB_LINK_DOWN:
		say_down(l, i, peer, now_ns);
		break;
	case DRB_LINK_FLAPPING:
		drb_warn("port %s: flapping, %u times down: used only where there is no other path "
			 "until it has been up for %u s",
			 name, p->flaps, (unsigned)((p->release_ns - p->flap_ns) / 1000000000));
		break;
	case DRB_LINK_LOSSY:
		view = drb_liveness_view_port(l, i, now_ns);
		drb_liveness_lossy_text(&view, peer, losses, sizeof(losses));
		drb_warn("port %s: lossy, %s: used only where there is no other path", name,
			 losses);
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
	const char *name = l->port[i].setup.name;
	char peer[DRB_END_NAME_MAX];

	if (!may_log_port(l, i, now_ns))
		return;
	drb_end_name(peer, &l->port[i].link.setup.peer);
	if (needed)
		drb_warn("port %s: %s, but still used: no other path to or from %s is left", name,
			 drb_link_state_name(l->port[i].link.state), peer);
	else
		drb_info("port %s: not needed any more", name);
}

void drb_liveness_log_outages(struct drb_liveness *l, bool more, uint64_t now_ns)
{
	if (!may_log(&l->outages_log, "outages", now_ns))
		return;
	if (more)
		drb_warn("more links and switches are dead or drained than hellos can carry: "
			 "until some are mended or undrained, packets take only detours, which "
			 "may lose some");
	else
		drb_info("hellos carry all outages again");
}
