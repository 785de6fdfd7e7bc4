// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/link_state.h"

static const char *const names[DRB_LINK_COUNT] = {
	"unknown", "up", "down", "miswired", "drained", "drained by neighbour", "flapping", "lossy",
};

const char *drb_link_state_name(enum drb_link_state state)
{
	return (unsigned)state < DRB_LINK_COUNT ? names[state] : NULL;
}

void drb_link_init(struct drb_link *l, const struct drb_link_setup *setup, bool carrier,
		   uint64_t now_ns)
{
	*l = (struct drb_link){
		.setup = *setup,
		.state = carrier ? DRB_LINK_UNKNOWN : DRB_LINK_DOWN,
		.carrier = carrier,
		.last_ns = now_ns,
		.since_ns = now_ns,
	};
}

// The hold time for a period, with a margin for a late hello.
static uint64_t hold_of(uint64_t period_ns, bool rests)
{
	return rests ? 2 * drb_hello_rest_ns(period_ns) + period_ns * 7 / 20
		     : DRB_HELLO_MISSES * period_ns + period_ns / 5;
}

// Follows the neighbour's period, because the neighbour knows when its next hello comes. But a long
// period of the neighbour cannot delay this switch beyond DRB_HOLD_MAX_NS.
uint64_t drb_link_hold_ns(const struct drb_link *l)
{
	const bool rests = l->hello.flags & DRB_HELLO_RESTS;
	uint64_t ours = hold_of(l->setup.period_ns, false);
	uint64_t most = ours > DRB_HOLD_MAX_NS ? ours : DRB_HOLD_MAX_NS;
	uint64_t hold = l->heard ? hold_of(l->hello.period_ms * UINT64_C(1000000), rests) : ours;

	return hold < most ? hold : most;
}

static bool is_same_end(const struct drb_end *a, const struct drb_end *b)
{
	return a->layer == b->layer && a->label == b->label && a->up == b->up && a->port == b->port;
}

static bool is_as_wired(const struct drb_link *l, const struct drb_hello *hello)
{
	return hello->fabric == l->setup.fabric && hello->mac == l->setup.mac &&
	       is_same_end(&hello->from, &l->setup.peer);
}

static enum drb_link_state judge(const struct drb_link *l, bool others, uint64_t now_ns)
{
	bool silent = now_ns > l->last_ns + drb_link_hold_ns(l);
	bool speaks = l->heard && l->setup.period_ns > 0;

	if (!l->carrier)
		return DRB_LINK_DOWN;
	if (speaks) {
		if (silent || l->deaf >= DRB_HELLO_MISSES)
			return DRB_LINK_DOWN;
		if (!is_as_wired(l, &l->hello))
			return DRB_LINK_MISWIRED;
	} else if (l->setup.period_ns > 0 && others && silent) {
		return DRB_LINK_DOWN;
	}
	if (l->drained)
		return DRB_LINK_DRAINED;
	if (speaks && (l->hello.flags & DRB_HELLO_DRAINED))
		return DRB_LINK_DRAINED_BY_NEIGHBOUR;
	if (l->lossy || (speaks && (l->hello.flags & DRB_HELLO_LOSSY)))
		return DRB_LINK_LOSSY;
	if (now_ns < l->release_ns)
		return DRB_LINK_FLAPPING;
	return speaks ? DRB_LINK_UP : DRB_LINK_UNKNOWN;
}

// Counts that the link goes down. The more often it does, the longer it is held back.
static void count_flap(struct drb_link *l, uint64_t now_ns)
{
	uint64_t hold = DRB_FLAP_HOLD_NS;

	if (now_ns > l->flap_ns + DRB_FLAP_CALM_NS && now_ns > l->release_ns + DRB_FLAP_CALM_NS)
		l->flaps = 0;
	l->flap_ns = now_ns;
	if (++l->flaps <= DRB_FLAPS_FREE)
		return;
	for (uint32_t n = DRB_FLAPS_FREE + 1; n < l->flaps && hold < DRB_FLAP_HOLD_MAX_NS; n++)
		hold *= 2;
	l->release_ns = now_ns + hold;
}

static bool state_enter(struct drb_link *l, enum drb_link_state state, uint64_t now_ns)
{
	if (state == l->state)
		return false;
	if ((state == DRB_LINK_DOWN || state == DRB_LINK_MISWIRED) && l->heard)
		count_flap(l, now_ns);
	l->state = state;
	l->since_ns = now_ns;
	return true;
}

static bool is_of_neighbour(const struct drb_link *l, const struct drb_hello *hello)
{
	return is_same_end(&hello->from, &l->hello.from) && hello->fabric == l->hello.fabric &&
	       hello->mac == l->hello.mac;
}

// Judges a hello that comes from another process than the last hello.
static enum drb_hello_outcome hear_stranger(struct drb_link *l, const struct drb_hello *hello,
					    uint64_t now_ns)
{
	const bool speaks = l->heard && now_ns <= l->hello_ns + drb_link_hold_ns(l);
	const bool proven = !l->setup.keyed || (hello->echo.instance == l->setup.instance &&
						l->sent - hello->echo.number < DRB_HELLO_ECHO_MAX);

	if (speaks && (is_as_wired(l, &l->hello) || !is_as_wired(l, hello))) {
		const bool rival = is_of_neighbour(l, hello);
		l->rival |= rival && proven;
		l->unproven |= rival && !proven;
		return rival ? DRB_HELLO_RIVAL : DRB_HELLO_STALE;
	}
	if (proven)
		return DRB_HELLO_TAKEN;
	l->asked = hello->serial;
	return DRB_HELLO_ASKS;
}

static void meet_process(struct drb_link *l)
{
	l->heard_us = false;
	l->deaf = l->short_hellos = 0;
	l->sent_before = l->sent;
	drb_loss_init(&l->loss);
}

static bool is_long(uint64_t number)
{
	return number % DRB_HELLO_LONG_EVERY == 0;
}

// The size of a long hello: the largest packet that the fabric carries and the port's device sends.
static uint16_t long_size(uint16_t fabric_mtu, uint16_t mtu)
{
	return DRB_ETHER_HEADER + (mtu > 0 && mtu < fabric_mtu ? mtu : fabric_mtu);
}

enum drb_hello_outcome drb_link_hear_hello(struct drb_link *l, const struct drb_hello *hello,
					   uint64_t waited_ns, uint64_t now_ns, bool *changed)
{
	const bool known = l->heard && hello->serial.instance == l->hello.serial.instance;
	enum drb_hello_outcome outcome = DRB_HELLO_TAKEN;

	*changed = false;
	if (hello->serial.instance == l->setup.instance)
		outcome = DRB_HELLO_OWN;
	else if (!known)
		outcome = hear_stranger(l, hello, now_ns);
	else if (hello->serial.number <= l->hello.serial.number || !is_of_neighbour(l, hello))
		outcome = DRB_HELLO_STALE;
	if (outcome != DRB_HELLO_TAKEN)
		return outcome;
	if (!known)
		meet_process(l);
	else if (l->rival) // a restarted neighbour's old process would not send again
		l->duplicate_ns = now_ns;
	else if (l->unproven) // the same, but perhaps by a recording
		l->replayed_ns = now_ns;
	l->rival = l->unproven = false;
	// A neighbour that no longer hears this switch has already waited for its hold time. A
	// neighbour that has never heard this switch may have had nothing to hear. Several of its
	// hellos may have waited here while this switch had no CPU; these count once.
	if (hello->flags & DRB_HELLO_HEARS)
		l->deaf = 0;
	else if (l->heard_us)
		l->deaf += DRB_HELLO_MISSES;
	else if (l->deaf <= l->sent - l->sent_before)
		l->deaf++;
	l->heard_us |= hello->flags & DRB_HELLO_HEARS;
	if (l->state == DRB_LINK_DOWN) { // losses of a dead link do not count
		drb_loss_init(&l->loss);
		l->short_hellos = 0;
	}
	l->heard = true;
	l->carrier = true; // otherwise the hello could not have arrived
	l->asked = (struct drb_hello_serial){0};
	drb_hello_copy(&l->hello, hello);
	l->short_hellos = is_long(hello->serial.number) ? 0 : l->short_hellos + 1;
	// A hello counts as at most as old as the hold time, however late it was read.
	// drb_link_check() judges the silence after drb_link_excuse().
	const uint64_t hold_ns = drb_link_hold_ns(l);
	l->hello_ns = now_ns - (waited_ns < hold_ns ? waited_ns : hold_ns);
	l->last_ns = l->hello_ns > l->last_ns ? l->hello_ns : l->last_ns;
	*changed = state_enter(l, judge(l, true, now_ns), now_ns);
	return DRB_HELLO_TAKEN;
}

static void begin_lossy(struct drb_link *l, uint64_t now_ns)
{
	bool again = l->trust_ns > 0 && now_ns - l->lossy_ns < DRB_LOSSY_CALM_NS;

	l->trust_ns = again ? 2 * l->trust_ns : DRB_LOSSY_HOLD_NS;
	if (l->trust_ns > DRB_LOSSY_HOLD_MAX_NS)
		l->trust_ns = DRB_LOSSY_HOLD_MAX_NS;
	l->lossy = true;
	l->lossy_ns = now_ns;
}

bool drb_link_count(struct drb_link *l, const struct drb_loss_sample *sample, uint64_t now_ns)
{
	const uint32_t limit = l->setup.loss_limit;
	bool is_short = l->short_hellos >= DRB_SHORT_HELLOS_MAX;

	if (sample)
		drb_loss_count(&l->loss, sample, now_ns);
	const bool exceeds = drb_loss_exceeds(&l->loss, limit);
	if (exceeds && drb_loss_share(&l->loss) <= limit)
		drb_loss_focus(&l->loss, limit);
	if (limit == 0)
		l->lossy = false;
	else if (!l->lossy && (is_short || exceeds))
		begin_lossy(l, now_ns);
	else if (l->lossy && !is_short && now_ns - l->lossy_ns >= l->trust_ns &&
		 drb_loss_is_below_half(&l->loss, limit)) {
		l->lossy = false;
		l->lossy_ns = now_ns;
	}
	return state_enter(l, judge(l, true, now_ns), now_ns);
}

void drb_link_hear_frame(struct drb_link *l, uint64_t at_ns)
{
	l->frame_ns = at_ns;
	if (l->heard && l->state != DRB_LINK_DOWN && l->state != DRB_LINK_MISWIRED &&
	    at_ns > l->last_ns)
		l->last_ns = at_ns;
}

void drb_link_lost_here(struct drb_link *l, uint64_t now_ns)
{
	l->short_hellos = 0;
	drb_loss_init(&l->loss);
	if (l->heard && l->state != DRB_LINK_DOWN && l->state != DRB_LINK_MISWIRED &&
	    now_ns < l->hello_ns + DRB_HOLD_MAX_NS)
		l->last_ns = now_ns;
}

bool drb_link_check(struct drb_link *l, bool carrier, bool others, uint64_t now_ns)
{
	if (carrier && !l->carrier && !l->heard)
		l->last_ns = now_ns; // listening begins
	l->carrier = carrier;
	return state_enter(l, judge(l, others, now_ns), now_ns);
}

void drb_link_say(struct drb_link *l, struct drb_hello *hello, uint64_t now_ns)
{
	hello->serial = (struct drb_hello_serial){l->setup.instance, ++l->sent};
	hello->echo = l->asked.instance ? l->asked : l->hello.serial;
	hello->flags |= drb_link_hears_neighbour(l, now_ns) ? DRB_HELLO_HEARS : 0;
	hello->flags |= l->lossy ? DRB_HELLO_LOSSY : 0;
	hello->flags |= l->lossy || drb_loss_is_suspect(&l->loss) ? DRB_HELLO_PROBE : 0;
	hello->size = is_long(l->sent) ? long_size(l->setup.mtu, hello->mtu) : 0;
	hello->loss = drb_loss_share(&l->loss);
	l->said_ns = now_ns;
}

bool drb_link_rests(const struct drb_link *l, uint64_t now_ns)
{
	const uint8_t any = DRB_HELLO_NO_ALTERNATE | DRB_HELLO_RESTS | DRB_HELLO_NEWS;
	const uint64_t last = l->frame_ns > l->since_ns ? l->frame_ns : l->since_ns;

	return l->state == DRB_LINK_UP && l->setup.period_ns <= DRB_REST_PERIOD_MAX_NS &&
	       now_ns > last + DRB_REST_AFTER_NS && (l->hello.flags & ~any) == DRB_HELLO_HEARS &&
	       !drb_loss_is_suspect(&l->loss);
}

void drb_link_unsay(struct drb_link *l)
{
	l->sent--;
}

uint64_t drb_link_due_ns(const struct drb_link *l)
{
	bool waits =
		l->setup.period_ns > 0 && l->carrier && (!l->heard || l->state != DRB_LINK_DOWN);
	uint64_t due = waits ? l->last_ns + drb_link_hold_ns(l) + 1 : UINT64_MAX;

	return l->state == DRB_LINK_FLAPPING && l->release_ns < due ? l->release_ns : due;
}
