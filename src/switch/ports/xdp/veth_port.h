// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An af_xdp port whose interface is a veth, with one worker: an AF_XDP socket of our own (xsk.h) that takes
// frames in several buffers, which DPDK's driver does not, and so bundles.

#include <stdbool.h>

#include "core/counters.h"
#include "switch/ports/port.h"

// Starts the port, which is of this kind then. False: the driver of DPDK has to, since the interface is
// no veth, or the kernel is older than Linux 6.6.
bool drb_veth_port_start(struct drb_port *port);
bool drb_veth_port_is(const struct drb_port *port);
// What the kernel has counted of the socket.
void drb_veth_port_count(const struct drb_port *port, struct drb_xdp_counters *counts);
