// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/events/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(DRB_DROP_COUNT <= 64, "a bit for each reason");

// A switch that has not answered for this long is reported as silent.
#define SILENT_NS UINT64_C(2000000000)

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

// Returns the reasons, one bit each, for which packets were dropped since `before`. Reports those
// that are not in `dropping`, the reasons of the previous comparison.
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

static void compare_reloads(const struct telling *t, uint64_t before, uint64_t now)
{
	char was[32], is[32];

	snprintf(was, sizeof(was), "%" PRIu64, before);
	snprintf(is, sizeof(is), "%" PRIu64, now);
	tell(t, NULL, "reloads", was, is);
}

static void compare_ports(const struct telling *t, const struct drb_switch_all *before,
			  const struct drb_switch_all *now)
{
	for (uint32_t i = 0; i < now->port_count && i < before->port_count; i++) {
		const struct drb_switch_port *a = &before->ports[i], *b = &now->ports[i];
		tell(t, b->name, "state", a->state, b->state);
		tell(t, b->name, "neighbour", a->neighbour, b->neighbour);
	}
}

static const char *how_is(const struct metrics_switch *s)
{
	switch (s->error) {
	case 0:
		return "runs";
	case -ENOENT:
		return "gone";
	case -EIO:
		return "stuck";
	default:
		return "silent";
	}
}

static uint64_t compare_switch(const struct telling *t, const struct metrics_switch *before,
			       uint64_t dropping)
{
	const struct metrics_switch *now = t->who;
	bool ran = before && before->error == 0, runs = now->error == 0;

	if (!ran || !runs) {
		tell(t, NULL, "switch", before ? how_is(before) : "silent",
		     before || runs ? how_is(now) : "silent");
		return 0;
	}
	if (before->all.info.pid != now->all.info.pid) {
		tell(t, NULL, "switch", "runs", "runs anew");
		return 0;
	}
	compare_reloads(t, before->all.info.reloads, now->all.info.reloads);
	tell(t, NULL, "scheme", before->all.routing.scheme, now->all.routing.scheme);
	tell(t, NULL, "threshold", before->all.routing.threshold, now->all.routing.threshold);
	compare_ports(t, &before->all, &now->all);
	return compare_drops(t, &before->all, &now->all, dropping);
}

// A poll leaves out the last switches of a fabric once they have ended (metrics/poll.h). Reports
// these as gone.
static void tell_gone(const struct ctl_look *before, const struct ctl_look *now, struct telling t)
{
	for (size_t i = 0; i < before->poll.count; i++) {
		t.who = &before->poll.switches[i];
		if (t.who->error == 0 && !switch_find(&now->poll, t.who))
			tell(&t, NULL, "switch", "runs", "gone");
	}
}

// Takes over the previous answer of a switch that does not answer. Changes that happen meanwhile
// are reported when the switch answers again.
static void answer_keep(struct metrics_switch *before, struct metrics_switch *now)
{
	const struct metrics_switch silent = *now;

	*now = *before;
	*before = silent;
}

static bool may_answer_yet(const struct metrics_switch *before, const struct metrics_switch *now,
			   uint64_t silent_ns)
{
	return before && before->error == 0 && now->error != 0 && now->error != -ENOENT &&
	       now->error != -EIO && silent_ns < SILENT_NS;
}

int ctl_compare(struct ctl_look *before, struct ctl_look *now, ctl_on_event tell_it, void *context)
{
	struct telling t = {.unix_ms = now->poll.unix_ms, .tell = tell_it, .context = context};
	struct ctl_seen *seen = calloc(now->poll.count ? now->poll.count : 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	tell_gone(before, now, t);
	for (size_t i = 0; i < now->poll.count; i++) {
		struct metrics_switch *who = &now->poll.switches[i],
				      *old = switch_find(&before->poll, who);
		const struct ctl_seen was =
			old && before->seen ? before->seen[old - before->poll.switches]
					    : (struct ctl_seen){.answered_ns = now->poll.time_ns};
		if (may_answer_yet(old, who, now->poll.time_ns - was.answered_ns)) {
			answer_keep(old, who);
			seen[i] = was;
			continue;
		}
		t.who = who;
		seen[i].answered_ns = now->poll.time_ns;
		seen[i].dropping = compare_switch(&t, old, was.dropping);
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
