// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The AF_PACKET or AF_XDP socket behind a port. Drivers keep it to themselves and DPDK 22.11 offers
// neither an interrupt for it nor its losses, so it is found among this process's descriptors.

#include <stdint.h>

#include "core/counters.h"

struct drb_kernel_socket {
	int fd;          // the driver's; -1: the port has none
	uint64_t missed; // packets the kernel had for this socket and dropped, so far
};

// The socket that was opened since known[0..count) were found; fd -1 if there is none.
struct drb_kernel_socket drb_kernel_socket_new(const struct drb_kernel_socket known[],
					       uint32_t count);

// Brings s->missed up to date. A system call: for readers of counters, not for every packet.
void drb_kernel_socket_count(struct drb_kernel_socket *s);

// Adds what an AF_XDP socket missed to xdp_ring_full and xdp_dropped.
void drb_kernel_socket_xdp(const struct drb_kernel_socket *s, struct drb_xdp_counters *counts);
