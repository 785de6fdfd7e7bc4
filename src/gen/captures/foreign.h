// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turns foreign captures into traffic of a fabric. Pure, apart from memory.

#include <stdint.h>

#include "gen/captures/address_map.h"
#include "gen/captures/flows.h"
#include "gen/captures/host_rules.h"
#include "gen/captures/trace.h"

// X(key, text): reasons why packets are not sent, for "5 are not IP".
#define FOREIGN_SKIPPED(X)                                                                         \
	X(not_ip, "are not IP")                                                                    \
	X(malformed, "are too short for the headers that they announce")                           \
	X(multicast, "are broadcast or multicast, which no fabric carries")                        \
	X(repeated, "are in the capture before, at another port of the switch")                    \
	X(same_host, "have both ends on one host (--map, --seed)")                                 \
	X(tags, "are longer than the interfaces take by VLAN tags (topo/fabric up --mtu with 8 "   \
		"bytes more)")                                                                     \
	X(oversize, "are longer than the interfaces take (captured before segmentation? "          \
		    "topo/fabric up --offloads off, or ethtool -K DEVICE tso off gso off gro off " \
		    "on the host that was captured)")

struct foreign_skipped {
#define X(key, text) uint64_t key;
	FOREIGN_SKIPPED(X)
#undef X
};

// The traffic made from captures.
struct foreign_traffic {
	struct foreign_skipped skipped;
	uint64_t twice;      // packets that may be in the captures twice: see repeats.h
	struct addrmap *map; // the host of each address
	struct flows flows;
};

// Gives every packet of the trace a sending host and addresses of the rules' plan. Removes packets
// that cannot be sent, and merges the others by time, the first at 0. The seed determines the hosts
// that no rule names. 0 or -ENOMEM. The caller calls foreign_free() in either case.
int foreign_map(struct trace *t, const struct host_rules *rules, uint64_t seed,
		struct foreign_traffic *to);
void foreign_free(struct foreign_traffic *to);

// Removes packets that an interface with this MTU does not send. Frames with a VLAN tag may be 4
// bytes longer.
void foreign_fit(struct trace *t, uint32_t mtu, struct foreign_skipped *skipped);

uint64_t foreign_skipped_count(const struct foreign_skipped *s);
#define FOREIGN_SKIPPED_TEXT 640
// "5 are not IP, 1 are multicast, ...".
void foreign_skipped_text(const struct foreign_skipped *s, char text[FOREIGN_SKIPPED_TEXT]);
