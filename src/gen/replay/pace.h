// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sets the speed at which captures are replayed, before the sender starts.

#include "core/fabric/addresses.h"

#include "gen/captures/trace.h"
#include "gen/replay/link_time.h"
#include "gen/replay/schedule.h"

// Shortens the pauses of a merged trace to most_ns.
void pace_shorten(struct trace *t, uint64_t most_ns);

// Sets the multiplier at which the busiest link of a host, in its busier direction, is used to the
// share `load` of its rate while the trace lasts. link[h] is that of host h. 0, or a negative errno
// after a message.
int pace_load(struct schedule *s, const struct trace *t, const struct drb_addr_plan *plan,
	      const struct host_link link[], double load);

// Delays each packet until the previous one has left its host's link, as a network card does, and
// reports how many packets wait. Does so only if packets have times of their own (SCHEDULE_TIMES).
// 0, or -ENOMEM after a message.
int pace_by_links(const struct schedule *s, struct trace *t, const struct host_link link[],
		  uint32_t hosts);

// Warns of the longest pause, if it takes minutes, and names the cure. paths: of the files of the
// trace.
void pace_warn(const struct schedule *s, const struct trace *t, char *const paths[]);
