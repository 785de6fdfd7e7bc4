// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The speed at which captures are replayed, before it is known to the sender.

#include "core/fabric/addresses.h"

#include "gen/captures/trace.h"
#include "gen/replay/schedule.h"

// Shortens the pauses of a merged trace to this.
void pace_shorten(struct trace *t, uint64_t most_ns);

// Sets the multiplier at which the busiest link of a host, in its busier direction, is used to the part `load`
// of its rate, as long as the trace lasts. 0, or a negative errno after a message.
int pace_load(struct schedule *s, const struct trace *t, const struct drb_addr_plan *plan,
	      const char *fabric, double load);

// Names the longest pause, if it is one of minutes, and the cure. paths: of the files of the trace.
void pace_warn(const struct schedule *s, const struct trace *t, char *const paths[]);
