// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The states of switches. Every view of drbctl, its events, metrics and map take their words from
// this table, and drbfabric takes them from drbctl. docs/reference/glossary.md repeats the table.

#include <stdbool.h>
#include <stddef.h>

#include "common/telemetry/switch_reader.h"

struct metrics_poll;
struct metrics_switch;

enum ctl_severity {
	CTL_FINE,
	CTL_SHORT, // forwards less than it should
	CTL_BAD,   // needs an operator
};

// X(word, severity, meaning)
#define CTL_STATES(X)                                                                              \
	X(running, FINE, "answers and forwards")                                                   \
	X(starting, FINE, "its ports do not forward yet")                                          \
	X(drained, FINE, "each link to a switch is drained")                                       \
	X(cut, SHORT, "each link to a switch is dead")                                             \
	X(slow, SHORT, "gets too little CPU time")                                                 \
	X(stuck, BAD, "a worker is stuck")                                                         \
	X(hung, BAD, "answers nothing")                                                            \
	X(dead, BAD, "was killed, or ended without an order")                                      \
	X(stopped, FINE, "ended by an order")                                                      \
	X(unknown, BAD, "no permission to ask, or no known reply")

enum ctl_state {
#define X(word, severity, meaning) CTL_STATE_##word,
	CTL_STATES(X)
#undef X
		CTL_STATE_COUNT
};

const char *ctl_state_word(enum ctl_state state);
// The state by the switch's own report alone. NULL: the report does not show the state.
const char *ctl_state_of(const struct drb_switch_info *info);
enum ctl_severity ctl_state_severity(enum ctl_state state);
static inline bool ctl_state_is_bad(enum ctl_state state)
{
	return ctl_state_severity(state) == CTL_BAD;
}
// True if terminals emphasise the state.
static inline bool ctl_state_stands_out(enum ctl_state state)
{
	return ctl_state_severity(state) != CTL_FINE;
}
// The same for a port: it takes no traffic, and nobody drained it.
bool ctl_port_stands_out(const struct drb_switch_port *port);

// Sets the state of every switch of a poll, and since when its neighbours miss it.
void ctl_states_find(struct metrics_poll *poll);

#define CTL_STATE_HOW_MAX 64

// How and when a switch came into its state: "killed at 11:20:07"; "" if there is nothing to say.
void ctl_state_how(const struct metrics_switch *s, char text[CTL_STATE_HOW_MAX]);

#define CTL_STATES_TEXT_MAX 256

// "20 switches: 18 running, 1 hung, 1 dead". Returns true if a state is bad.
bool ctl_states_count(const struct metrics_poll *poll, char text[CTL_STATES_TEXT_MAX]);
