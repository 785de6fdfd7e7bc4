// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The changes between two polls of all switches.

#include "ctl/metrics/poll.h"

// What of a switch changed: `what` names it; before and after are texts, "" where there is none. Valid
// during the call.
struct ctl_event {
	uint64_t unix_ms;
	const char *fabric, *name;
	const char *port; // NULL: of the switch
	const char *what; // switch, reloads, state, neighbour, scheme, threshold, drops
	const char *before, *after;
};

typedef void (*ctl_on_event)(const struct ctl_event *event, void *context);

// What is remembered of a switch.
struct ctl_seen {
	uint64_t dropping;    // a bit for each reason for which it was dropping packets
	uint64_t answered_ns; // the last time
};

// A look and what is remembered of it. All zeros before the first one.
struct ctl_look {
	struct metrics_poll poll;
	struct ctl_seen *seen; // by switch; owned
};

// Tells what is different in `now`, whose `seen` it sets, from `before`. A switch that does not answer, but did
// less than two seconds ago, is as it was: it may be ending, or wait for a CPU. 0 or -ENOMEM.
int ctl_compare(struct ctl_look *before, struct ctl_look *now, ctl_on_event tell, void *context);
void ctl_look_free(struct ctl_look *look);
