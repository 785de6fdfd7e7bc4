// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The XDP program of af_xdp ports: which frames their sockets receive, and what the kernel counts. It stays
// attached exactly as long as this process lives, even if the process is killed.

#include <stdbool.h>
#include <stdint.h>

#include "core/counters.h"

#include "common/config/config.h"

// Attaches the program to a port's interface, for frames in several buffers too, and sends what it takes for the
// fabric to the sockets of queues 0 to count - 1. 0 or -errno; -ENOSYS: built without BPF.
int drb_steer_attach(const struct drb_port_setup *port, const struct drb_addr_plan *fabric,
		     const int *sockets, uint32_t count);
void drb_steer_detach(const struct drb_port_setup *port);

// What the program on a kernel interface has counted so far: seen, redirected, passed. False if there is none.
bool drb_steer_read(const char *interface, struct drb_xdp_counters *counts);
