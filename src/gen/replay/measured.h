// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replays a directory of `drbgen write` slot by slot, and reports loss and latency.

#include "gen/replay/options.h"

// Replays o->captures.at[0]. Returns an exit status.
int replay_measured(const struct replay_options *o);
