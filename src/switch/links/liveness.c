// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/liveness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "core/links/port_selection.h"

// Between looks at carriers. The kernel itself takes as long to tell of one that is lost, and
// silence tells sooner.
#define CARRIER_PERIOD_NS 1000000000
// A turn that is later than this was kept from looking: nobody is to blame for silence meanwhile.
#define LATE_NS 20000000

static bool sends_hellos(const struct drb_liveness *l, uint32_t i)
{
	return l->hello_due_ns[i] != UINT64_MAX;
}

int drb_liveness_init(struct drb_liveness *l, const struct drb_setup *s,
		      const struct drb_liveness_io *io, struct drb_published_links *published)
{
	const uint32_t ports = s->down_ports + s->up_ports;

	*l = (struct drb_liveness){
		.io = *io,
		.published = published,
		.setup = malloc(ports * sizeof(*l->setup)),
		.ports = ports,
		.down_ports = s->down_ports,
		.layer = s->layer,
		.label = s->label,
		.fabric = drb_hello_fabric(s->fabric, s->tree.layers, s->tree.arity),
		.due_ns = UINT64_MAX,
	};
	if (!l->setup) {
		drb_error("no memory for hellos");
		return -ENOMEM;
	}
	memcpy(l->setup, s->ports, ports * sizeof(*l->setup));
	for (uint32_t i = 0; i < ports; i++)
		l->hello_due_ns[i] = UINT64_MAX;
	return 0;
}

void drb_liveness_free(struct drb_liveness *l)
{
	free(l->setup);
	*l = (struct drb_liveness){.due_ns = UINT64_MAX};
}

void drb_liveness_drain(struct drb_liveness *l, uint32_t i, bool drained)
{
	l->port[i].drained = drained;
	if (sends_hellos(l, i))
		l->hello_due_ns[i] = 0; // the neighbour must know at once
	l->changed = true;
	l->due_ns = 0;
}

// no_alternate becomes the down-ports to switches that cannot turn a packet back up.
static struct drb_port_knowledge knowledge(const struct drb_liveness *l, uint64_t *no_alternate)
{
	struct drb_port_knowledge k = {0};

	*no_alternate = 0;
	for (uint32_t i = 0; i < l->ports; i++) {
		const struct drb_link *p = &l->port[i];
		const uint64_t bit = UINT64_C(1) << i;
		const uint8_t flags = i < l->down_ports && p->heard ? p->hello.flags : 0;
		*no_alternate |= flags & DRB_HELLO_NO_ALTERNATE ? bit : 0;
		k.asked |= flags & DRB_HELLO_NEEDS_UPSTREAM ? bit : 0;
		if (!((l->active | l->awaited) & bit))
			continue;
		*(i < l->down_ports ? &k.downs : &k.ups) |= bit;
		if (!(l->active & bit))
			k.dead |= bit; // has not met its peer yet
		else if (l->watched[i] ? drb_link_is_drained(p) : p->drained)
			k.drained |= bit;
		else if (l->watched[i] && !drb_link_is_usable(p))
			k.dead |= bit;
	}
	return k;
}

// These neighbours get a hello in the next turn, which is due at once.
static void send_soon(struct drb_liveness *l, uint64_t ports, uint64_t now_ns)
{
	for (uint32_t i = 0; i < l->ports; i++) {
		if ((ports >> i & 1) && sends_hellos(l, i))
			l->hello_due_ns[i] = l->due_ns = now_ns;
	}
}

static void set_needed(struct drb_liveness *l, uint64_t needed, uint64_t now_ns)
{
	uint64_t before = l->needed;

	l->needed = needed;
	for (uint32_t i = 0; i < l->ports; i++) {
		if ((needed ^ before) >> i & 1)
			drb_liveness_log_needed(l, i, needed >> i & 1, now_ns);
	}
}

// Works out which ports take traffic and tells the workers.
static void publish(struct drb_liveness *l, uint64_t now_ns)
{
	uint64_t below;
	struct drb_port_knowledge k = knowledge(l, &below);
	struct drb_port_selection use = drb_select_ports(&k);
	bool no_alternate = __builtin_popcountll(k.ups & ~use.out) < 2;

	drb_links_publish(l->published, &(struct drb_links){use.out, k.drained, below});
	// Neighbours above must know at once: what this switch cannot turn, and what it needs.
	if (l->no_alternate != no_alternate || l->needs_upstream != use.needs)
		send_soon(l, k.ups, now_ns);
	l->no_alternate = no_alternate;
	l->needs_upstream = use.needs;
	set_needed(l, use.needed, now_ns);
}

void drb_liveness_set(struct drb_liveness *l, const struct drb_setup *s, uint64_t active,
		      uint64_t awaited, uint64_t now_ns)
{
	if (!l->setup)
		return;
	l->active = active;
	l->awaited = awaited;
	for (uint32_t i = 0; i < l->ports; i++) {
		bool watched = (active >> i & 1) && s->ports[i].hello_ns > 0;
		l->setup[i].hello_ns = s->ports[i].hello_ns;
		l->starts[i] |= watched && !l->watched[i];
		l->watched[i] = watched;
		// Hosts neither send nor get hellos.
		l->hello_due_ns[i] = watched && s->ports[i].peer.layer > 0 ? 0 : UINT64_MAX;
		l->port[i].period_ns = l->hello_due_ns[i] == 0 ? s->ports[i].hello_ns : 0;
	}
	l->changed = true;
	l->due_ns = 0;
	// Before the first packet: none may go to a port that has not met its peer.
	publish(l, now_ns);
}

void drb_liveness_hear(struct drb_liveness *l, uint32_t in, const struct drb_hello *hello,
		       uint64_t now_ns)
{
	struct drb_link *p = &l->port[in];
	enum drb_link_state before = p->state;
	uint8_t flags = p->hello.flags;

	if (!l->setup || !sends_hellos(l, in) || l->starts[in])
		return; // switched off here, or not looked at yet
	l->hellos_in[in]++;
	l->heard_any = true;
	bool changed = drb_link_hear_hello(p, hello, now_ns);
	if (changed)
		drb_liveness_log(l, in, before, now_ns);
	if (changed || flags != hello->flags)
		publish(l, now_ns);
}

// The first look at a port: listening begins now.
static void start(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	bool carrier = l->io.has_carrier(l->io.context, i), drained = l->port[i].drained;

	drb_link_init(&l->port[i], &l->setup[i].peer, l->fabric, l->port[i].period_ns, carrier,
		      now_ns);
	l->port[i].drained = drained;
	drb_link_check(&l->port[i], carrier, l->heard_any, now_ns);
	if (!carrier)
		drb_liveness_log(l, i, DRB_LINK_UNKNOWN, now_ns);
	l->starts[i] = false;
}

static void send_hello(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	const struct drb_port_setup *p = &l->setup[i];
	const struct drb_hello hello = {
		.from = {.layer = l->layer, .label = l->label, .port = p->number, .up = p->up},
		.fabric = l->fabric,
		.period_ms = (uint32_t)(p->hello_ns / 1000000),
		.flags = (drb_link_hears_neighbour(&l->port[i], now_ns) ? DRB_HELLO_HEARS : 0) |
			 (l->port[i].drained ? DRB_HELLO_DRAINED : 0) |
			 (l->no_alternate ? DRB_HELLO_NO_ALTERNATE : 0) |
			 (l->needs_upstream >> i & 1 ? DRB_HELLO_NEEDS_UPSTREAM : 0),
	};

	l->hellos_out[i] += l->io.send(l->io.context, i, &hello);
}

// True if the port's state changed.
static bool check(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	enum drb_link_state before = l->port[i].state;
	bool carrier = now_ns >= l->carrier_due_ns ? l->io.has_carrier(l->io.context, i)
						   : l->port[i].carrier;

	if (!drb_link_check(&l->port[i], carrier, l->heard_any, now_ns))
		return false;
	drb_liveness_log(l, i, before, now_ns);
	return true;
}

// Sends a hello if one is due; when to look at the port again.
static uint64_t send_due(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	uint64_t period = l->setup[i].hello_ns, due = drb_link_due_ns(&l->port[i]);
	// All switches of a machine send at the same instants, at multiples of their period: one
	// wake-up then serves what they send and what they hear.
	uint64_t next = now_ns - now_ns % period + period;

	if (sends_hellos(l, i) && now_ns >= l->hello_due_ns[i]) {
		send_hello(l, i, now_ns);
		l->hello_due_ns[i] = next;
	}
	next = sends_hellos(l, i) ? l->hello_due_ns[i] : next;
	return due > now_ns && due < next ? due : next;
}

void drb_liveness_service(struct drb_liveness *l, uint64_t now_ns)
{
	uint64_t late = l->due_ns > 0 ? now_ns - l->due_ns : 0;
	bool changed = l->changed;

	for (uint32_t i = 0; i < l->ports; i++) {
		if (late > LATE_NS)
			drb_link_excuse(&l->port[i], late);
		if (l->starts[i])
			start(l, i, now_ns);
		else if (l->watched[i])
			changed |= check(l, i, now_ns);
	}
	if (now_ns >= l->carrier_due_ns)
		l->carrier_due_ns = now_ns + CARRIER_PERIOD_NS;
	if (changed)
		publish(l, now_ns);
	l->changed = false;
	l->due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < l->ports; i++) {
		uint64_t next = l->watched[i] ? send_due(l, i, now_ns) : UINT64_MAX;
		l->due_ns = next < l->due_ns ? next : l->due_ns;
	}
}

void drb_liveness_view(const struct drb_liveness *l, struct drb_port_link view[DRB_PORTS_MAX])
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
		};
	}
}
