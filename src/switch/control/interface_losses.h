// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets of hosts that the kernel dropped at the interface of an af_packet port, in front of its socket: longer
// than the interface's MTU, or more than its queue of received frames holds. What a socket has no room for is no part
// of them, and between switches the sender is told and counts them (not_sent). Frames with a VLAN tag around an
// EtherType that the kernel has no handler for are part of them, although the socket received them. Called by the
// thread that replies (stats_socket.h), but for the first time.

#include "common/config/config.h"
#include "switch/datapath/worker/snapshot.h"

// Before the switch is asked: what was dropped until then is not its.
void drb_interface_losses_begin(const struct drb_setup *setup);
// Takes "  eth0: BYTES PACKETS ERRORS DROPPED ..." of /proc/net/dev, if eth0 is at the port of a host. One that was made
// again begins with 0. Called by both others.
void drb_interface_losses_take(const struct drb_setup *setup, const char *line);
// Adds what was dropped since to in_missed.
void drb_interface_losses_add(const struct drb_setup *setup, struct drb_snapshot *s);
