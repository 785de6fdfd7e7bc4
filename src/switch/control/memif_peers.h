// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Connects memif ports to their peers (ports/memif/link.h): at the start, which waits for them, and later.

#include <stdint.h>

#include "switch/ports/memif/link.h"

struct drb_switch;

struct drb_memif_peers {
	struct drb_memif_host host;
	struct drb_memif_links *links;
	uint64_t attached; // ports that have met their peer, a bit each
	uint32_t missing;  // fewest ports without a peer so far
	uint64_t since_ns; // when it became that
};

int drb_memif_peers_open(struct drb_switch *s);
void drb_memif_peers_close(struct drb_switch *s);
// -EAGAIN until all have met their peers, or no further one has come for 10 s: peers start in any order.
int drb_memif_peers_await(struct drb_switch *s);
