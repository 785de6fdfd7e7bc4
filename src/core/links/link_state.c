// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/link_state.h"

static const char *const names[DRB_LINK_COUNT] = {
	"unknown", "up", "down", "miswired", "drained", "drained by neighbour",
};

const char *drb_link_state_name(enum drb_link_state state)
{
	return (unsigned)state < DRB_LINK_COUNT ? names[state] : NULL;
}

void drb_link_init(struct drb_link *l, const struct drb_end *peer, uint64_t fabric,
		   uint64_t period_ns, bool carrier, uint64_t now_ns)
{
	*l = (struct drb_link){
		.peer = *peer,
		.fabric = fabric,
		.period_ns = period_ns,
		.state = carrier ? DRB_LINK_UNKNOWN : DRB_LINK_DOWN,
		.carrier = carrier,
		.last_ns = now_ns,
		.since_ns = now_ns,
	};
}

// The neighbour's period counts: it knows when it speaks next. A fifth of it more for its lateness.
uint64_t drb_link_hold_ns(const struct drb_link *l)
{
	uint64_t period = l->heard ? l->hello.period_ms * UINT64_C(1000000) : l->period_ns;

	return DRB_HELLO_MISSES * period + period / 5;
}

static bool as_wired(const struct drb_link *l)
{
	const struct drb_end *from = &l->hello.from;

	return l->hello.fabric == l->fabric && from->layer == l->peer.layer &&
	       from->label == l->peer.label && from->up == l->peer.up && from->port == l->peer.port;
}

static enum drb_link_state judge(const struct drb_link *l, bool others, uint64_t now_ns)
{
	bool silent = now_ns > l->last_ns + drb_link_hold_ns(l);

	if (!l->carrier)
		return DRB_LINK_DOWN;
	if (l->heard && l->period_ns > 0) {
		if (silent || l->deaf >= DRB_HELLO_MISSES)
			return DRB_LINK_DOWN;
		if (!as_wired(l))
			return DRB_LINK_MISWIRED;
	} else if (l->period_ns > 0 && others && silent) {
		return DRB_LINK_DOWN;
	}
	if (l->drained)
		return DRB_LINK_DRAINED;
	if (l->heard && l->period_ns > 0 && (l->hello.flags & DRB_HELLO_DRAINED))
		return DRB_LINK_DRAINED_BY_NEIGHBOUR;
	return l->heard && l->period_ns > 0 ? DRB_LINK_UP : DRB_LINK_UNKNOWN;
}

static bool enter(struct drb_link *l, enum drb_link_state state, uint64_t now_ns)
{
	if (state == l->state)
		return false;
	l->state = state;
	l->since_ns = now_ns;
	return true;
}

bool drb_link_hear_hello(struct drb_link *l, const struct drb_hello *hello, uint64_t now_ns)
{
	l->heard = true;
	l->carrier = true; // else it could not have come
	l->deaf = hello->flags & DRB_HELLO_HEARS ? 0 : l->deaf + 1;
	l->hello = *hello;
	l->last_ns = now_ns;
	return enter(l, judge(l, true, now_ns), now_ns);
}

bool drb_link_check(struct drb_link *l, bool carrier, bool others, uint64_t now_ns)
{
	if (carrier && !l->carrier && !l->heard)
		l->last_ns = now_ns; // listening begins
	l->carrier = carrier;
	return enter(l, judge(l, others, now_ns), now_ns);
}
