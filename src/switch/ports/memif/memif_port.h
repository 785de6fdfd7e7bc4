// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports to another process of this machine. DPDK's memif driver opens and closes their links, with
// callbacks that do not run beside the workers (callbacks.h) and clients that find their server at
// any time (connect.h); packets go through the rings past it (ring.h), with doorbells (doorbell.h).

#include "switch/ports/dpdk/dpdk_port.h"
#include "switch/ports/memif/doorbell.h"

extern const struct drb_port_kind drb_memif_port;

// In a port's `own`.
struct drb_memif_port {
	struct drb_dpdk_port dpdk;
	struct drb_memif_link *link;
	struct drb_memif_port *next; // of those that are stopped
};

// Stops and starts the device of a client that has no link, which has its driver look for the
// server. What follows is up to the driver's callbacks.
void drb_memif_port_restart(struct drb_port *port);
