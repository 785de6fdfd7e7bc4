// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A poll as JSON, for the page and for programs: one object
//   {"time_ns": CLOCK_MONOTONIC, "unix_ms": wall clock, "port_counters": [keys...],
//    "fabrics": [{"fabric", "layers", "arity", "uplinks" (of layer 1), "links": [[lower end, upper end]...]}], of
//      which a switch answered; ends are such as "s1-0.u1" and "h3.eth0",
//    "switches": [{"fabric", "name", "layer", "label", "up", "ended" (in order), "stuck" (a worker is), and, if up:
//      "pid", "time_ns", "scheme", "unit", "threshold", "utilisation", "trouble",
//      "routing": {counters}, "drops": {reason: packets, those that are not 0},
//      "ports": [{"name", "peer", "neighbour", "state", "usable", "rate", "queue", "count": [values...]}]}]}
// The values of a port's "count" are in the order of "port_counters" (core/counters.h).

#include "ctl/metrics/poll.h"

// Owned by the caller: free(). NULL: out of memory.
char *serve_state_json(const struct metrics_poll *poll);
