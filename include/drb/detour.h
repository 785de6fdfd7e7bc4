// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Detours around a dead down-link, without messages. A detour begins at a switch of layer m whose down-port
// to the destination is dead. The packet goes down to a usable child, which sends it up by an uplink other
// than the one it came from. All parents of that child have the same children, so a dead link costs two extra
// hops. A dead child switch cannot be passed like that. On a second detour the packet goes one layer deeper
// before it goes up, and returns to a switch with other children. Where no child has an alternate uplink, the
// packet goes up, and the parent, to which it would have to return, begins a detour two layers deep.
// The packet carries a mark, which is 0 before its detour and when it reaches a host:
//   bits 0..3  extra hops so far, in units of two, including those of the current detour
//   bits 4..6  layers still to go down before it goes up
//   bit 7      it follows the routes that switches know instead; bits 0..6 count its hops since then

#include <stdbool.h>
#include <stdint.h>

#include "drb/scheme.h"

DRB_BEGIN

#define DRB_DETOUR_HOPS_MAX 6 // extra hops that a packet may make

// Extra hops of a packet with this mark.
static inline uint32_t drb_detour_extra_hops(uint8_t mark)
{
	return (mark & 0xfu) * 2;
}

// A switch's knowledge of its ports, a bit each; down-ports first.
struct drb_usable_ports {
	uint64_t usable;
	uint64_t no_alternate; // down-ports to switches that have no other uplink
	uint64_t drained;      // not usable, but used rather than lose a packet
	// For each rack, the ports where shortest paths to it begin; NULL: no outage is known.
	const uint64_t *routes;
	bool settled; // the neighbours know the same outages as this switch
};

// The mark of a packet that follows routes off the usual path: this bit, and the hops since.
#define DRB_DETOUR_ROUTED 0x80
#define DRB_ROUTED_HOPS_MAX 24 // then the packet is dropped: switches do not agree on outages

// Instead of a port.
enum {
	DRB_DETOUR_HOST_DOWN = -1, // the host's own port is dead
	DRB_DETOUR_NO_ROUTE = -2,  // no path, or none within the limit
	// A mark that no switch writes, or a packet from above that is not for below.
	DRB_DETOUR_INVALID = -3,
};

// The output port, up or down, of a packet at a switch with dead ports, or one of the values above. The switch has at
// most 64 ports. This also reads d->port (the input port) and d->detour (the mark, 0 from a host).
DRB_API int32_t drb_chooser_detour(struct drb_chooser *c, const struct drb_usable_ports *ports,
				   const uint32_t load[], struct drb_decision *d);

DRB_END
