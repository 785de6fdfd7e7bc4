// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Detours around a dead down-link, without messages. A detour begins at a switch of layer m whose
// down-port to the destination is dead. The packet goes down to a usable child. The child sends the
// packet up by another uplink than the one by which the packet came. All parents of that child have
// the same children, so a dead link costs two extra hops.
// Such a detour does not get past a dead child switch. On a second detour the packet goes one layer
// deeper before it goes up, and returns to a switch with other children. If no child has an
// alternate uplink, the packet goes up. The parent would have to return the packet, so the parent
// begins a detour two layers deep.
// The packet carries a detour mark, which is 0 before its detour and when it reaches a host:
//   bits 0..3  extra hops so far, in units of two, including those of the current detour
//   bits 4..6  layers still to go down before it goes up
//   bit 7      the packet follows routes (drb_usable_ports) instead; bits 0..6 count its hops
//              since then

#include <stdbool.h>
#include <stdint.h>

#include "drb/scheme.h"

DRB_BEGIN

#define DRB_DETOUR_HOPS_MAX 6 // extra hops that a packet may make

// The extra hops of a packet with this mark.
static inline uint32_t drb_detour_extra_hops(uint8_t mark)
{
	return (mark & 0xfu) * 2;
}

// The ports of a switch as bits, down-ports first.
struct drb_usable_ports {
	uint64_t usable;
	uint64_t no_alternate; // down-ports to switches that have no other uplink
	uint64_t drained;      // not usable, but used if the packet would be lost otherwise
	// For each rack, the ports where shortest paths to it begin. NULL: no outage is known.
	const uint64_t *routes;
	bool settled; // the neighbours know the same outages as this switch
};

// Set in the mark of a packet that follows routes off the usual path; the other bits count its hops
// since.
#define DRB_DETOUR_ROUTED 0x80
#define DRB_ROUTED_HOPS_MAX 24 // a packet with more is dropped: the switches disagree on outages

// Results other than a port.
enum {
	DRB_DETOUR_HOST_DOWN = -1, // the host's own port is dead
	DRB_DETOUR_NO_ROUTE = -2,  // no path, or none within the limit
	// The mark is one that no switch writes, or a packet from above is not for a host below.
	DRB_DETOUR_INVALID = -3,
};

// The output port, up or down, of a packet at a switch with dead ports, or one of the values above.
// The switch has at most 64 ports. Also reads d->port (the input port) and d->detour (the mark, 0
// from a host).
DRB_API int32_t drb_chooser_detour(struct drb_chooser *c, const struct drb_usable_ports *ports,
				   const uint32_t load[], struct drb_decision *d);

DRB_END
