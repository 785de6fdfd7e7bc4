// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/events/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(DRB_DROP_COUNT <= 64, "a bit for each reason");

// A switch that has not answered for this long is reported as hung or slow.
#define PATIENCE_NS UINT64_C(2000000000)
// A switch that ends closes its socket before it removes it. If the socket is still there after
// this time, the switch was killed.
#define ENDING_NS UINT64_C(500000000)

// The switch that is compared, and the callback that receives its events.
struct telling {
	const struct metrics_switch *who;
	uint64_t unix_ms;
	ctl_on_event tell;
	void *context;
};

static void tell(const struct telling *t, const char *port, const char *what, const char *before,
		 const char *after)
{
	const struct ctl_event event = {.unix_ms = t->unix_ms,
					.fabric = t->who->fabric,
					.name = t->who->name,
					.port = port,
					.what = what,
					.before = before,
					.after = after};

	if (strcmp(before, after) != 0)
		t->tell(&event, t->context);
}

static struct metrics_switch *switch_find(const struct metrics_poll *poll,
					  const struct metrics_switch *who)
{
	for (size_t i = 0; i < poll->count; i++) {
		struct metrics_switch *s = &poll->switches[i];
		if (strcmp(s->fabric, who->fabric) == 0 && strcmp(s->name, who->name) == 0)
			return s;
	}
	return NULL;
}

// Returns the reasons, one bit each, for which packets were dropped since `before`. Reports the
// reasons that are not in `dropping`, which holds the reasons of the previous comparison.
static uint64_t compare_drops(const struct telling *t, const struct drb_switch_all *before,
			      const struct drb_switch_all *now, uint64_t dropping)
{
#define X(key, meaning) #key,
	static const char *const reasons[] = {DRB_DROP_REASONS(X)};
#undef X
	uint64_t found = 0;

	for (int i = 0; i < DRB_DROP_COUNT; i++) {
		const double count = drb_difference(before->drops.reason[i], now->drops.reason[i]);
		char text[64];
		if (!(count > 0)) // 0 or unknown
			continue;
		found |= UINT64_C(1) << i;
		snprintf(text, sizeof(text), "%s %.0f", reasons[i], count);
		if (!(dropping & UINT64_C(1) << i))
			tell(t, NULL, "drops", "", text);
	}
	return found;
}

static void compare_numbers(const struct telling *t, const char *what, uint64_t before,
			    uint64_t now)
{
	char was[32], is[32];

	snprintf(was, sizeof(was), "%" PRIu64, before);
	snprintf(is, sizeof(is), "%" PRIu64, now);
	tell(t, NULL, what, was, is);
}

// True if the change of a port may be the effect of a change at its peer that is not yet reported.
// The peer's answer is then older than the port's change. Causes are reported before effects.
static bool may_be_effect(const struct metrics_poll *now, const struct metrics_switch *who,
			  const struct drb_switch_port *port)
{
	const size_t length = strcspn(port->peer, ".");

	for (size_t i = 0; i < now->count && port->since_ns != DRB_UNKNOWN; i++) {
		const struct metrics_switch *s = &now->switches[i];
		if (strncmp(s->name, port->peer, length) == 0 && !s->name[length] &&
		    strcmp(s->fabric, who->fabric) == 0)
			return s->error == 0 && s->all.time_ns < port->since_ns;
	}
	return false;
}

// Returns false if a change must be reported later.
static bool compare_ports(const struct telling *t, const struct metrics_poll *poll,
			  const struct drb_switch_all *before, struct drb_switch_all *now)
{
	bool all = true;

	for (uint32_t i = 0; i < now->port_count && i < before->port_count; i++) {
		const struct drb_switch_port *a = &before->ports[i];
		struct drb_switch_port *b = &now->ports[i];
		if (strcmp(a->state, b->state) != 0 && may_be_effect(poll, t->who, b)) {
			*b = *a;
			all = false;
			continue;
		}
		tell(t, b->name, "state", a->state, b->state);
		tell(t, b->name, "neighbour", a->neighbour, b->neighbour);
	}
	return all;
}

static void compare_states(const struct telling *t, const struct metrics_switch *before)
{
	tell(t, NULL, "switch", before ? ctl_state_word(before->state) : "",
	     ctl_state_word(t->who->state));
}

// Returns the drop reasons, like compare_drops().
static uint64_t compare_answers(const struct telling *t, const struct metrics_poll *poll,
				const struct metrics_switch *before, struct metrics_switch *now,
				uint64_t dropping)
{
	const struct drb_switch_all *a = &before->all, *b = &now->all;

	if (a->info.pid != b->info.pid) {
		compare_states(t, before);
		return 0;
	}
	compare_numbers(t, "reloads", a->info.reloads, b->info.reloads);
	tell(t, NULL, "scheme", a->routing.scheme, b->routing.scheme);
	tell(t, NULL, "threshold", a->routing.threshold, b->routing.threshold);
	if (compare_ports(t, poll, a, &now->all))
		compare_states(t, before); // the state follows from the ports
	else
		now->state = before->state;
	return compare_drops(t, a, b, dropping);
}

// A poll leaves out the last switches of a fabric once they have ended (metrics/poll.h).
static void tell_gone(const struct ctl_look *before, const struct ctl_look *now, struct telling t)
{
	for (size_t i = 0; i < before->poll.count; i++) {
		t.who = &before->poll.switches[i];
		if (!switch_find(&now->poll, t.who))
			tell(&t, NULL, "switch", ctl_state_word(t.who->state),
			     ctl_state_word(CTL_STATE_stopped));
	}
}

// Keeps the previous answer of a switch that does not answer. Its changes are reported when it
// answers again.
static void answer_keep(struct metrics_switch *before, struct metrics_switch *now)
{
	const struct metrics_switch silent = *now;

	*now = *before;
	*before = silent;
}

static bool may_answer_yet(const struct metrics_switch *before, const struct metrics_switch *now,
			   uint64_t silent_ns)
{
	switch (now->state) {
	case CTL_STATE_hung:
	case CTL_STATE_slow:
	case CTL_STATE_unknown:
		return before->error == 0 && now->error < 0 && silent_ns < PATIENCE_NS;
	case CTL_STATE_dead:
		return before->error == 0 && now->error != -ENOENT && silent_ns < ENDING_NS;
	default:
		return false;
	}
}

// Reports the change of a switch's state. Returns the switch's state for the next comparison.
static struct ctl_seen compare_switch(struct telling *t, struct ctl_look *before,
				      struct metrics_switch *who, uint64_t now_ns)
{
	struct metrics_switch *old = switch_find(&before->poll, who);
	struct ctl_seen seen = {.answered_ns = now_ns};

	if (old && before->seen)
		seen = before->seen[old - before->poll.switches];
	seen.before = NULL;
	if (old && may_answer_yet(old, who, now_ns - seen.answered_ns)) {
		answer_keep(old, who);
		return seen;
	}
	seen.answered_ns = now_ns;
	t->who = who;
	if (old && old->error == 0 && who->error == 0) {
		seen.before = old;
		compare_numbers(t, "pid", old->all.info.pid, who->all.info.pid);
		return seen;
	}
	seen.dropping = 0;
	compare_states(t, old);
	return seen;
}

int ctl_compare(struct ctl_look *before, struct ctl_look *now, ctl_on_event tell_it, void *context)
{
	struct telling t = {.unix_ms = now->poll.unix_ms, .tell = tell_it, .context = context};
	const size_t count = now->poll.count;
	struct ctl_seen *seen = calloc(count ? count : 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	tell_gone(before, now, t);
	for (size_t i = 0; i < count; i++)
		seen[i] = compare_switch(&t, before, &now->poll.switches[i], now->poll.time_ns);
	for (size_t i = 0; i < count; i++) {
		t.who = &now->poll.switches[i];
		if (seen[i].before)
			seen[i].dropping =
				compare_answers(&t, &now->poll, seen[i].before,
						&now->poll.switches[i], seen[i].dropping);
	}
	free(now->seen);
	now->seen = seen;
	return 0;
}

void ctl_look_free(struct ctl_look *look)
{
	metrics_poll_free(&look->poll);
	free(look->seen);
	*look = (struct ctl_look){0};
}
