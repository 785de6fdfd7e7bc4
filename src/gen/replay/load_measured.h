// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads traffic of `drbgen write` for a replay.

#include <stdint.h>

#include "gen/captures/manifest.h"
#include "gen/sinks/score.h"
#include "gen/captures/trace.h"

// Checks one packet of the capture of host src. It must be a measured packet of this host, have the
// size of the manifest, and be born in the slot of its time stamp. Returns the error, or NULL.
// Pure.
const char *measured_check(const struct manifest *m, uint32_t src, const struct trace_packet *p,
			   struct frame_probe *probe);

// Reads all captures of dir into *t, merged by send time with slots of slot_ns, and announces every
// packet to *s. Packets of one slot are in random order (from the manifest's seed), so that no host
// is always first. 0, or a negative errno after a message that names file and packet.
int measured_load(const char *dir, const struct manifest *m, uint64_t slot_ns, struct trace *t,
		  struct score *s);

// Removes packets from *t that hosts outside [first, end) send. Returns the number of packets,
// removed ones included, that go to a host in this range.
uint64_t measured_part(struct trace *t, const struct manifest *m, uint32_t first, uint32_t end);
