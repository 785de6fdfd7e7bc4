// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Replays captures from anywhere: addresses mapped onto the fabric's hosts, and what arrived told
// by host.

#include "gen/replay/options.h"

// Replays o->captures.count files at o->captures.at, merged by time; returns an exit code.
int replay_foreign(const struct replay_options *o);
