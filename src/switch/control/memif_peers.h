// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// memif ports find their peers (ports/memif/connect.h): at the start, which waits for them, and later.

#include <stdint.h>

#include "switch/ports/memif/callbacks.h"
#include "switch/ports/memif/connect.h"

struct drb_switch;

struct drb_memif_peers {
	struct drb_memif_control control;
	struct drb_memif_connect connect;
	uint32_t missing;  // fewest ports without a peer so far
	uint64_t since_ns; // when it became that; 0: not begun
};

// -EAGAIN until all have met their peers, or no further one has come for 10 s: peers start in any order.
int drb_memif_peers_open(struct drb_switch *s);
void drb_memif_peers_close(struct drb_switch *s);
