// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A poll as JSON, for the page and for programs. It is one object:
//   {"format": SERVE_STATE_FORMAT,
//    "version": of drbctl,
//    "time_ns": CLOCK_MONOTONIC,
//    "unix_ms": wall clock,
//    "port_counters": [keys...],
//    "fabrics": [{"fabric", "layers", "arity", "uplinks" (of layer 1),
//      "links": [[lower end, upper end]...]}],
//    "switches": [{"fabric", "name", "layer", "label", "up", "ended", "stuck", "state",
//      "how", and, if up:
//      "pid", "time_ns", "capturing", "scheme", "unit", "threshold", "utilisation", "trouble",
//      "routing": {counters},
//      "drops": {reason: packets},
//      "ports": [{"name", "peer", "neighbour", "state", "usable", "rate", "queue",
//        "count": [values...]}]}]}
// "fabrics" has each fabric with a switch that answered. Ends of links are such as "s1-0.u1" and
// "h3.eth0". "state" is a word of ctl/metrics/states.h. "how" adds details, such as "killed at
// 11:20:07". "ended": the switch left no socket. "stuck": one of its workers is stuck. "drops" has
// no zeros. The values of a port's "count" are in the order of "port_counters" (core/counters.h).
// Values that a switch does not report are null. A recording has one such object per line, and so
// has the history that drbctl serve keeps. Readers ignore unknown keys, so a new format is needed
// only if the meaning of a key changes.

#include "ctl/metrics/poll.h"

#define SERVE_STATE_FORMAT 1

// Returns the text, which the caller frees with free(). NULL: out of memory.
char *serve_state_json(const struct metrics_poll *poll);
