// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turns foreign captures into traffic of a fabric. Pure but for memory.

#include <stdint.h>

#include "gen/captures/address_map.h"
#include "gen/captures/host_rules.h"
#include "gen/captures/trace.h"

// Packets that are not sent, by reason.
struct foreign_skipped {
	uint64_t not_ip;    // carries no IPv4 or IPv6
	uint64_t malformed; // too short for the headers it announces
	uint64_t same_host; // both addresses ended up on one host
	uint64_t multicast; // for no single host; a fabric carries none
	uint64_t oversize;  // longer than the interfaces take
};

// Gives every packet of the trace a sending host and addresses of the rules' plan, takes those out
// that cannot be sent, and merges the rest by time, the first at 0. Hosts that no rule names follow
// from the seed. *map tells who became whom, to be freed by the caller. 0 or -ENOMEM.
int foreign_map(struct trace *t, const struct host_rules *rules, uint64_t seed,
		struct foreign_skipped *skipped, struct addrmap **map);

// Takes out packets that an interface with this MTU does not send. Frames with VLAN tags may be
// longer by 4 bytes.
void foreign_fit(struct trace *t, uint32_t mtu, struct foreign_skipped *skipped);
