// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The XDP program of af_xdp ports: it selects the frames that their sockets receive, and counts
// them. It is detached when this process ends, even if the process is killed.

#include <stdbool.h>
#include <stdint.h>

#include "core/counters.h"

#include "common/config/config.h"

// Attaches the program to a port's interface, if possible also for frames in several buffers.
// Frames of the fabric go to the sockets of queues 0 to count - 1. Returns 0 or -errno; -ENOSYS:
// built without BPF.
int drb_steer_attach(const struct drb_port_setup *port, const struct drb_addr_plan *fabric,
		     const int *sockets, uint32_t count);
void drb_steer_detach(const struct drb_port_setup *port);

// Reads the counters of the program on an interface: seen, redirected, passed. False: there is no
// program.
bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts);
