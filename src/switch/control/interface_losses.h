// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets of hosts that the kernel dropped at the interface of an af_packet port, before its socket: longer
// than the interface's MTU, or more than its queue of received frames holds. Packets that find the socket
// full are not among them; between switches, the sender counts them (not_sent). Frames with a VLAN tag around
// an EtherType unknown to the kernel are among them, although the socket received them. Called by the thread
// that replies (stats_socket.h), except for the first time.

#include "common/config/config.h"
#include "switch/datapath/worker/snapshot.h"

// Before the switch is asked: what was dropped until then is not its.
void drb_interface_losses_begin(const struct drb_setup *setup);
// Takes "  eth0: BYTES PACKETS ERRORS DROPPED ..." of /proc/net/dev, if eth0 is at the port of a host. One that was made
// again begins with 0. Called by both others.
void drb_interface_losses_take(const struct drb_setup *setup, const char *line);
// Adds what was dropped since to in_missed.
void drb_interface_losses_add(const struct drb_setup *setup, struct drb_snapshot *s);
