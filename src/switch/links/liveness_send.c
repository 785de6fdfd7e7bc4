// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/liveness.h"

// A hello that could not be sent is tried again up to this many times within its period.
#define TRIES 8

// Fills in the fields that all hellos by this port have in common.
void drb_liveness_said_by(const struct drb_liveness *l, const struct drb_liveness_port *p,
			  struct drb_hello *hello)
{
	drb_hello_copy(hello, &l->self);
	hello->from.port = p->setup.number;
	hello->from.up = p->setup.up;
	hello->period_ms = (uint32_t)(p->setup.hello_ns / 1000000);
	hello->mtu = p->mtu;
}

static bool send_hello(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	struct drb_liveness_port *p = &l->port[i];
	uint8_t frame[DRB_HELLO_LEN_MAX];
	struct drb_hello hello;

	drb_liveness_said_by(l, p, &hello);
	hello.flags = (p->link.drained ? DRB_HELLO_DRAINED : 0) |
		      (l->no_alternate ? DRB_HELLO_NO_ALTERNATE : 0) |
		      (l->needs_upstream >> i & 1 ? DRB_HELLO_NEEDS_UPSTREAM : 0);
	if (l->counts)
		hello.sent = l->io.count_sent(l->io.context, i) + p->hellos_out + 1;
	drb_outages_copy(&hello.outages, &l->known.outages);
	const bool answers = p->link.asked.instance != 0; // a new neighbour, which waits
	drb_link_say(&p->link, &hello, now_ns);
	const uint8_t said = hello.flags;
	const bool is_news =
		answers || !p->has_said || said != p->said || l->known.version != p->said_version;
	hello.flags |= (is_news ? DRB_HELLO_NEWS : 0) | (p->rests ? DRB_HELLO_RESTS : 0);
	uint32_t len = drb_hello_encode(&hello, frame);
	drb_hello_key_sign(&l->key, frame);
	bool sent = l->io.send(l->io.context, i, frame, len);
	p->hellos_out += sent;
	// A refused hello keeps its number: otherwise a port that takes every fourth try would
	// never send a long hello. After TRIES failures the number is used up, because a port may
	// refuse only long hellos.
	p->refused = sent ? 0 : (p->refused + 1) % TRIES;
	if (p->refused > 0)
		drb_link_unsay(&p->link);
	if (sent) {
		p->has_said = true;
		p->said = said;
		p->said_version = l->known.version;
	}
	return sent;
}

uint64_t drb_liveness_send_due(struct drb_liveness *l, uint32_t i, uint64_t now_ns)
{
	struct drb_liveness_port *p = &l->port[i];
	const struct drb_hello *theirs = &p->link.hello;
	const bool sends = drb_liveness_sends(p);
	bool probes = theirs->flags & (DRB_HELLO_PROBE | DRB_HELLO_LOSSY);
	uint64_t period = p->setup.hello_ns / (probes ? DRB_HELLO_PROBES : 1);
	uint64_t due = drb_link_due_ns(&p->link);

	p->rests = sends && drb_link_rests(&p->link, now_ns);
	period = p->rests ? drb_hello_rest_ns(period) : period;
	// All switches of a machine send at the same instants, at multiples of their period. A
	// switch that wakes up to send can then also receive the hellos of the others.
	uint64_t next = now_ns - now_ns % period + period;

	if (sends && now_ns >= p->hello_due_ns) {
		uint64_t soon = now_ns + period / TRIES;
		bool done = l->silent || send_hello(l, i, now_ns);
		p->hello_due_ns = done || next < soon ? next : soon;
	} else if (sends && next < p->hello_due_ns) { // no longer at rest
		p->hello_due_ns = next;
	}
	next = sends ? p->hello_due_ns : l->carrier_due_ns;
	return due > now_ns && due < next ? due : next;
}
