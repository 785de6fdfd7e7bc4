// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Traffic of `drbgen write` read back for a replay.

#include <stdint.h>

#include "gen/captures/manifest.h"
#include "gen/sinks/score.h"
#include "gen/captures/trace.h"

// Checks one packet of the capture of host src: a measured packet of this host and of the size of
// the manifest, born in the slot of its time stamp. 0, or what is wrong with it. Pure.
const char *measured_check(const struct manifest *m, uint32_t src, const struct trace_packet *p,
			   struct frame_probe *probe);

// Reads all captures of dir into *t, merged by send time with slots of slot_ns, and announces every
// packet to *s. Packets of one slot are in random order (from the manifest's seed): no host is
// always first. 0, or a negative errno after a message that names file and packet.
int measured_load(const char *dir, const struct manifest *m, uint64_t slot_ns, struct trace *t,
		  struct score *s);

// Leaves in *t only what hosts in [first, end) send; returns how many of all packets go to one of them.
uint64_t measured_part(struct trace *t, const struct manifest *m, uint32_t first, uint32_t end);
