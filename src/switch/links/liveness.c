// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/liveness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "core/links/port_selection.h"

// Interval of carrier checks. The kernel itself takes this long to report a lost carrier, and
// missing hellos show the loss sooner.
#define CARRIER_PERIOD_NS 2000000000
// A check that is later than this was delayed in this switch: neighbours are not blamed for silence
// meanwhile.
#define LATE_NS 20000000
// Flags that do not affect the use of a port.
#define REPEATED (DRB_HELLO_RESTS | DRB_HELLO_NEWS)

int drb_liveness_init(struct drb_liveness *l, const struct drb_setup *s,
		      const struct drb_liveness_io *io, struct drb_published_links *published)
{
	const uint32_t ports = s->down_ports + s->up_ports;

	*l = (struct drb_liveness){
		.io = *io,
		.published = published,
		.port = calloc(ports, sizeof(*l->port)),
		.ports = ports,
		.down_ports = s->down_ports,
		.layer = s->layer,
		.label = s->label,
		.fabric_mtu = (uint16_t)s->mtu,
		.self = {.from = {.layer = s->layer, .label = s->label},
			 .fabric = drb_hello_fabric(s->fabric, &s->tree),
			 .fabric_mtu = (uint16_t)s->mtu},
		.due_ns = UINT64_MAX,
		.planned_ns = UINT64_MAX,
		.counts = s->workers == 1,
	};
	drb_hello_set_prefixes(&l->self, &s->addr);
	if (!l->port) {
		drb_error("no memory for hellos");
		return -ENOMEM;
	}
	int rc = drb_hello_key_load(&l->key, s->hello_key);
	for (uint32_t i = 0; i < ports; i++)
		l->port[i] =
			(struct drb_liveness_port){.setup = s->ports[i],
						   .hello_due_ns = UINT64_MAX,
						   .link.setup = {.peer = s->ports[i].peer,
								  .fabric = l->self.fabric,
								  .mac = l->self.mac,
								  .instance = drb_hello_instance(),
								  .keyed = l->key.used,
								  .mtu = l->fabric_mtu}};
	if (rc == 0)
		rc = drb_known_outages_init(&l->known, s, &published->routes);
	if (rc < 0)
		drb_liveness_free(l);
	return rc;
}

void drb_liveness_free(struct drb_liveness *l)
{
	drb_known_outages_free(&l->known);
	free(l->port);
	*l = (struct drb_liveness){.due_ns = UINT64_MAX};
}

void drb_liveness_drain(struct drb_liveness *l, uint32_t i, bool drained)
{
	struct drb_liveness_port *p = &l->port[i];

	p->link.drained = drained;
	if (drb_liveness_sends(p))
		p->hello_due_ns = 0; // the neighbour must know at once
	l->changed = true;
	l->due_ns = 0;
}

void drb_liveness_look(struct drb_liveness *l)
{
	l->carrier_due_ns = l->due_ns = 0;
}

// Collects the state of all ports. *no_alternate becomes the down-ports to switches that cannot
// turn a packet back up.
static struct drb_port_knowledge knowledge(const struct drb_liveness *l, uint64_t *no_alternate)
{
	struct drb_port_knowledge k = {0};

	*no_alternate = 0;
	for (uint32_t i = 0; i < l->ports; i++) {
		const struct drb_link *link = &l->port[i].link;
		const bool watched = l->port[i].watched;
		const uint64_t bit = UINT64_C(1) << i;
		const uint8_t flags = i < l->down_ports && link->heard ? link->hello.flags : 0;
		*no_alternate |= flags & DRB_HELLO_NO_ALTERNATE ? bit : 0;
		k.asked |= flags & DRB_HELLO_NEEDS_UPSTREAM ? bit : 0;
		if (!((l->active | l->awaited) & bit))
			continue;
		*(i < l->down_ports ? &k.downs : &k.ups) |= bit;
		if (!(l->active & bit) || (!watched && (l->off & bit)))
			k.dead |= bit; // no peer yet, or down by order and without hellos
		else if (watched ? drb_link_is_spare(link) : link->drained)
			k.drained |= bit;
		else if (watched && !drb_link_is_usable(link))
			k.dead |= bit;
	}
	return k;
}

void drb_liveness_send_soon(struct drb_liveness *l, uint64_t ports, uint64_t at_ns)
{
	for (uint32_t i = 0; i < l->ports; i++) {
		struct drb_liveness_port *p = &l->port[i];
		if ((ports >> i & 1) && drb_liveness_sends(p) && at_ns < p->hello_due_ns)
			p->hello_due_ns = at_ns;
	}
	l->due_ns = at_ns < l->due_ns ? at_ns : l->due_ns;
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

// Selects the ports that take traffic, and publishes them to the workers.
static void publish(struct drb_liveness *l, uint64_t now_ns)
{
	uint64_t below;
	struct drb_port_knowledge k = knowledge(l, &below);
	struct drb_port_selection use = drb_select_ports(&k);
	bool no_alternate = __builtin_popcountll(k.ups & ~use.out) < 2;

	drb_known_outages_update(l, &k, now_ns);
	drb_links_publish(l->published, &(struct drb_links){use.out, k.drained, below, l->off});
	// Neighbours above must know at once whether this switch can turn packets back up, and
	// which uplinks it needs.
	if (l->no_alternate != no_alternate || l->needs_upstream != use.needs)
		drb_liveness_send_soon(l, k.ups, now_ns);
	l->no_alternate = no_alternate;
	l->needs_upstream = use.needs;
	set_needed(l, use.needed, now_ns);
}

void drb_liveness_set(struct drb_liveness *l, const struct drb_setup *s, uint64_t active,
		      uint64_t awaited, uint64_t now_ns)
{
	if (!l->port)
		return;
	l->active = active;
	l->awaited = awaited;
	for (uint32_t i = 0; i < l->ports; i++) {
		struct drb_liveness_port *p = &l->port[i];
		const uint64_t period_ns = s->ports[i].hello_ns;
		const bool watched = (active >> i & 1) && period_ns > 0;
		// Hosts neither send nor get hellos.
		const bool sends = watched && p->setup.peer.layer > 0;
		p->setup.hello_ns = period_ns;
		p->starts |= watched && !p->watched;
		p->watched = watched;
		p->hello_due_ns = sends ? 0 : UINT64_MAX;
		p->link.setup.period_ns = sends ? period_ns : 0;
		p->link.setup.loss_limit = s->ports[i].loss_limit;
	}
	l->changed = true;
	l->due_ns = 0;
	// Publish before the first packet: none may go to a port that has not met its peer.
	publish(l, now_ns);
}

static enum drb_hello_result hello_refuse(struct drb_liveness_port *p, const struct drb_hello *h,
					  enum drb_hello_fault fault, uint64_t now_ns)
{
	drb_hello_fault_note(&p->faults, p->setup.name, fault, h, now_ns);
	return fault == DRB_HELLO_FAULT_KEY ? DRB_HELLO_FORGED : DRB_HELLO_REPLAYED;
}

// Compares how many packets the neighbour has sent with how many came. Begins anew if this switch
// was too slow and lost some of them. Checks that only if more packets are missing than before.
static bool hello_count(struct drb_liveness *l, uint32_t in, const struct drb_hello *h,
			uint64_t now_ns)
{
	struct drb_liveness_port *p = &l->port[in];
	bool missed = false;

	if (!l->counts || h->sent == 0)
		return drb_link_count(&p->link, NULL, now_ns);
	struct drb_arrivals a = l->io.count_arrivals(l->io.context, in, NULL);
	const int64_t missing = (int64_t)(h->sent - a.received - p->hellos_in);
	if (missing > p->missing)
		a = l->io.count_arrivals(l->io.context, in, &missed);
	if (missed)
		drb_loss_init(&p->link.loss);
	p->missing = missing;
	const struct drb_loss_sample sample = {
		.sent = h->sent,
		.missing = missing,
		.most = (int64_t)(h->sent - a.earlier - (p->hellos_in - 1)),
		.complete = a.complete,
	};
	return drb_link_count(&p->link, &sample, now_ns);
}

// True if another port hears a neighbour of this name, too: two switches have one label.
static bool hears_elsewhere(const struct drb_liveness *l, uint32_t in, const struct drb_hello *h,
			    uint64_t now_ns)
{
	for (uint32_t i = 0; i < l->ports; i++) {
		const struct drb_link *p = &l->port[i].link;
		const struct drb_end *from = &p->hello.from;
		if (i != in && p->heard && now_ns < p->last_ns + drb_link_hold_ns(p) &&
		    from->layer == h->from.layer && from->label == h->from.label &&
		    from->port == h->from.port && p->hello.serial.instance != h->serial.instance)
			return true;
	}
	return false;
}

// Takes a valid hello: updates the state of the port.
static enum drb_hello_result hello_take(struct drb_liveness *l, uint32_t in,
					const struct drb_hello *h, uint64_t waited_ns,
					uint64_t now_ns)
{
	struct drb_liveness_port *port = &l->port[in];
	struct drb_link *p = &port->link;
	struct drb_hello ours;
	const enum drb_link_state before = p->state;
	const uint8_t flags = p->hello.flags;
	const uint64_t soon = p->said_ns + p->setup.period_ns / DRB_HELLO_PROBES;
	const bool is_news = !l->heard_any || !drb_outages_equal(&p->hello.outages, &h->outages);
	bool changed;

	switch (drb_link_hear_hello(p, h, waited_ns, now_ns, &changed)) {
	case DRB_HELLO_OWN:
		return hello_refuse(port, h, DRB_HELLO_FAULT_LOOP, now_ns);
	case DRB_HELLO_STALE:
		return hello_refuse(port, h, DRB_HELLO_FAULT_STALE, now_ns);
	case DRB_HELLO_RIVAL:
		return DRB_HELLO_REPLAYED; // normal for a moment after a restart
	case DRB_HELLO_ASKS:               // the answer is a hello
		drb_liveness_send_soon(l, UINT64_C(1) << in, soon > now_ns ? soon : now_ns);
		return DRB_HELLO_HEARD;
	case DRB_HELLO_TAKEN:
		break;
	}
	port->hellos_in++;
	l->heard_any = true;
	changed |= hello_count(l, in, h, now_ns);
	drb_liveness_said_by(l, port, &ours);
	if (ours.mtu >= l->fabric_mtu && h->mtu >= l->fabric_mtu)
		ours.mtu = h->mtu; // both MTUs take every packet
	drb_hello_faults_compare(&port->faults, port->setup.name, &ours, h, now_ns);
	if (hears_elsewhere(l, in, h, now_ns))
		drb_hello_fault_note(&port->faults, port->setup.name, DRB_HELLO_FAULT_TWICE, h,
				     now_ns);
	if (p->duplicate_ns == now_ns || p->replayed_ns == now_ns)
		drb_hello_fault_note(&port->faults, port->setup.name,
				     p->duplicate_ns == now_ns ? DRB_HELLO_FAULT_TWICE
							       : DRB_HELLO_FAULT_STALE,
				     h, now_ns);
	if (changed)
		drb_liveness_log(l, in, before, now_ns);
	if (changed && (p->state == DRB_LINK_LOSSY || before == DRB_LINK_LOSSY))
		drb_liveness_send_soon(l, UINT64_C(1) << in, now_ns);
	l->known.waits |= is_news;
	if (changed || is_news || ((flags ^ h->flags) & ~REPEATED))
		publish(l, now_ns);
	return DRB_HELLO_HEARD;
}

enum drb_hello_result drb_liveness_hear(struct drb_liveness *l, uint32_t in,
					const struct drb_hello_frame *frame, uint64_t now_ns)
{
	struct drb_hello hello;

	const int rc = drb_hello_decode(frame->octets, frame->length, &hello);

	if (rc == -EINVAL)
		return DRB_HELLO_BAD;
	if (!l->port || !drb_liveness_sends(&l->port[in]) || l->port[in].starts ||
	    (l->off >> in & 1))
		return DRB_HELLO_HEARD; // hellos are off here, or the port is not checked yet
	if (rc == -EPROTO) {
		drb_hello_fault_version(&l->port[in].faults, &l->port[in].setup,
					drb_hello_version(frame->octets), now_ns);
		return DRB_HELLO_VERSION_DIFFERS;
	}
	if (!drb_hello_key_fits(&l->key, &hello, frame->octets))
		return hello_refuse(&l->port[in], &hello, DRB_HELLO_FAULT_KEY, now_ns);
	return hello_take(l, in, &hello, frame->waited_ns, now_ns);
}

void drb_liveness_lost_here(struct drb_liveness *l, uint32_t port, uint64_t now_ns)
{
	if (l->port && l->port[port].watched && !l->port[port].starts)
		drb_link_lost_here(&l->port[port].link, now_ns);
}

// First check of a port: it listens from now on.
static void port_start(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	struct drb_liveness_port *p = &l->port[i];
	const struct drb_link before = p->link;
	const bool carrier = l->io.has_carrier(l->io.context, i);

	drb_link_init(&p->link, &before.setup, carrier, now_ns);
	p->link.drained = before.drained;
	p->link.sent = before.sent;
	p->mtu = l->io.mtu(l->io.context, i);
	p->frames = l->io.count_frames(l->io.context, i);
	drb_link_check(&p->link, carrier, l->heard_any, now_ns);
	if (!carrier)
		drb_liveness_log(l, i, DRB_LINK_UNKNOWN, now_ns);
	p->starts = false;
}

// True if the port's state changed.
static bool port_check(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	struct drb_liveness_port *p = &l->port[i];
	enum drb_link_state before = p->link.state;
	bool carrier = p->link.carrier;
	uint64_t frames = l->io.count_frames(l->io.context, i);

	// Ports at rest have had a recent hello.
	if (l->carrier_due_ns == 0 || (now_ns >= l->carrier_due_ns && !p->rests)) {
		carrier = l->io.has_carrier(l->io.context, i);
		p->mtu = l->io.mtu(l->io.context, i);
	}
	// The frames came at an unknown time since the last check. Assume the earliest: the last
	// check.
	if (frames != p->frames)
		drb_link_hear_frame(&p->link, l->looked_ns);
	p->frames = frames;
	if (!drb_link_check(&p->link, carrier, l->heard_any, now_ns))
		return false;
	if (p->link.state == DRB_LINK_DOWN && drb_liveness_sends(p))
		p->hello_due_ns = now_ns; // tell the neighbour at once that it is not heard
	drb_liveness_log(l, i, before, now_ns);
	return true;
}

void drb_liveness_service(struct drb_liveness *l, uint64_t now_ns)
{
	const uint64_t late = now_ns > l->planned_ns ? now_ns - l->planned_ns : 0;
	bool changed = l->changed || now_ns >= drb_known_outages_due_ns(&l->known);

	for (uint32_t i = 0; i < l->ports; i++) {
		if (late > LATE_NS)
			drb_link_excuse(&l->port[i].link, late, now_ns);
		if (l->port[i].starts)
			port_start(l, i, now_ns);
		else if (l->port[i].watched)
			changed |= port_check(l, i, now_ns);
	}
	l->looked_ns = now_ns;
	if (now_ns >= l->carrier_due_ns)
		l->carrier_due_ns = now_ns + CARRIER_PERIOD_NS;
	if (changed)
		publish(l, now_ns);
	l->changed = false;
	l->due_ns = drb_known_outages_due_ns(&l->known);
	uint32_t rest = 0, sending = 0;
	for (uint32_t i = 0; i < l->ports; i++) {
		const struct drb_liveness_port *p = &l->port[i];
		uint64_t next = p->watched ? drb_liveness_send_due(l, i, now_ns) : UINT64_MAX;
		l->due_ns = next < l->due_ns ? next : l->due_ns;
		sending += drb_liveness_sends(p);
		rest += p->rests;
	}
	l->planned_ns = l->due_ns;
	l->rests = sending > 0 && rest == sending; // a switch that sends no hellos is never at rest
}
