// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The changes between two polls of all switches.

#include "ctl/metrics/poll.h"

// A change at a switch. `what` names the changed property. `before` and `after` are its values; ""
// stands for no value. All texts are valid during the call only.
struct ctl_event {
	uint64_t unix_ms;
	const char *fabric, *name;
	const char *port; // NULL: the change is of the switch as a whole
	// switch (its state), pid, reloads, state (of a port), neighbour, scheme, threshold, drops
	const char *what;
	const char *before, *after;
};

typedef void (*ctl_on_event)(const struct ctl_event *event, void *context);

// State of a switch that is kept from one comparison to the next.
struct ctl_seen {
	uint64_t dropping;    // a bit for each reason of drops between the last two answers
	uint64_t answered_ns; // time of its last answer
	const struct metrics_switch *before; // private: the answer to compare with; NULL: none
};

// A poll, and the state kept for its switches. All zeros before the first poll.
struct ctl_look {
	struct metrics_poll poll;
	struct ctl_seen *seen; // one for each of poll.switches; owned
};

// Reports each difference between `before` and `now` by `tell`, and sets now->seen. If a switch
// answered less than two seconds ago but not now, it counts as unchanged: it may be ending, or wait
// for a CPU. Then its answers in `before` and `now` are exchanged. Reports switches before ports,
// and a port only when its peer's state is known. Returns 0 or -ENOMEM.
int ctl_compare(struct ctl_look *before, struct ctl_look *now, ctl_on_event tell, void *context);
void ctl_look_free(struct ctl_look *look);
