// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ARP/ND proxy: a layer-1 switch answers ARP requests (RFC 826) and IPv6 neighbour solicitations
// (RFC 4861) of its hosts in the name of their targets. Hosts thus reach each other without static
// neighbours, and nothing is flooded. Pure: rewrites the frame in place.

#include <stdint.h>

#include "core/fabric/addresses.h"

enum drb_neighbour {
	DRB_NEIGHBOUR_ARP,     // frame is now the ARP reply, to go back to the asking host
	DRB_NEIGHBOUR_ND,      // frame is now the neighbour advertisement
	DRB_NEIGHBOUR_OTHER,   // no request, or about the asker's or a new address
	DRB_NEIGHBOUR_UNKNOWN, // asks for an address that belongs to no host
	DRB_NEIGHBOUR_SPOOFED, // the ARP sender fields are not those of the asking host
	DRB_NEIGHBOUR_BAD,     // malformed
};

// frame: *len bytes (>= 14) in a buffer of `room` bytes, sent by host `asker`, whose source MAC the
// caller has verified. On an answer *len is the reply's length.
enum drb_neighbour drb_neighbour_answer(const struct drb_addr_plan *plan, uint32_t asker,
					uint8_t *frame, uint32_t *len, uint32_t room);
