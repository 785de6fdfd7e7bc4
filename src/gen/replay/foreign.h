// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replays captures of any origin: maps addresses onto the fabric's hosts, and reports arrivals by
// host.

#include "gen/replay/options.h"

// Replays o->captures.count files at o->captures.at, merged by time. Returns an exit status.
int replay_foreign(const struct replay_options *o);
