// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What changed between two looks at all switches.

#include "ctl/metrics/poll.h"

// What of a switch changed: `what` names it; before and after are texts, "" where there is none. Valid
// during the call.
struct ctl_event {
	uint64_t unix_ms;
	const char *fabric, *name;
	const char *port; // NULL: of the switch
	const char *what; // switch, state, neighbour, scheme, threshold, drops
	const char *before, *after;
};

typedef void (*ctl_on_event)(const struct ctl_event *event, void *context);

// A look and what is remembered of it. All zeros before the first one.
struct ctl_look {
	struct metrics_poll poll;
	uint64_t *
		dropping; // by switch: a bit for each reason for which it was dropping packets; owned
};

// Tells what is different in `now`, whose `dropping` it sets, from `before`. 0 or -ENOMEM.
int ctl_compare(const struct ctl_look *before, struct ctl_look *now, ctl_on_event tell,
		void *context);
void ctl_look_free(struct ctl_look *look);
