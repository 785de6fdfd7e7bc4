// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counts packets of hosts that the kernel dropped at the interface of an af_packet port, before its
// socket. Such packets are longer than the interface's MTU, or found the interface's queue of
// received frames full. Packets that find the socket full are not counted here; between switches
// the sender counts them (not_sent). The kernel also counts a frame whose VLAN tag is followed by
// an unknown EtherType, although the socket received that frame. All but
// drb_interface_losses_begin() are called by the thread that replies (stats_socket.h).

#include "common/config/config.h"
#include "switch/datapath/worker/snapshot.h"

struct drb_interface_losses {
	struct {
		uint64_t told;  // the kernel's counter when it was last read
		uint64_t since; // packets dropped since drb_interface_losses_begin()
	} port[DRB_PORTS_MAX];
};

// Called once before the stats socket opens. Earlier drops do not count.
void drb_interface_losses_begin(struct drb_interface_losses *l, const struct drb_setup *setup);
// Reads a line "  eth0: BYTES PACKETS ERRORS DROPPED ..." of /proc/net/dev, if eth0 is the
// interface of a host's port. The counter of an interface that was created again starts at 0. The
// other two functions call this one.
void drb_interface_losses_take(struct drb_interface_losses *l, const struct drb_setup *setup,
			       const char *line);
// Reads the table and adds the packets dropped since drb_interface_losses_begin() to in_missed.
void drb_interface_losses_add(struct drb_interface_losses *l, const struct drb_setup *setup,
			      struct drb_snapshot *s);
