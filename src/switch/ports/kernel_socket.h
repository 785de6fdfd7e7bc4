// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the kernel lost in front of an AF_XDP or AF_PACKET socket: of a port's own, or of one behind a DPDK device.
// Drivers keep theirs to themselves and DPDK 22.11 offers neither an interrupt for it nor its losses, so it is
// found among this process's descriptors.

#include <stdint.h>

#include "core/counters.h"

#define DRB_KERNEL_SOCKETS_MAX 1024

struct drb_kernel_socket {
	int fd;          // -1: the device has none
	uint64_t missed; // frames the kernel had for this socket and dropped, so far
};

// Descriptors of such sockets, in ascending order.
struct drb_kernel_sockets {
	uint32_t count;
	int fd[DRB_KERNEL_SOCKETS_MAX];
};

// All that this process has open.
struct drb_kernel_sockets drb_kernel_sockets(void);
// Those that were opened since.
struct drb_kernel_sockets drb_kernel_sockets_since(const struct drb_kernel_sockets *before);

// Brings s->missed up to date. A system call: for readers of counters, not for every packet.
void drb_kernel_socket_count(struct drb_kernel_socket *s);

// Adds what an AF_XDP socket missed to xdp_ring_full and xdp_dropped.
void drb_kernel_socket_xdp(const struct drb_kernel_socket *s, struct drb_xdp_counters *counts);
