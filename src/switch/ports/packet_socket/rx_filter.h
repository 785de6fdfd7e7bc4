// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The socket filter in front of a receive ring. It drops hellos without news, which have a socket
// of their own (hello_socket.h). A frame may be a GSO packet of many packets, but the kernel's
// PACKET_STATISTICS count it once. So a BPF program drops frames while the ring is full, before the
// kernel would, and counts their packets. Loading it takes CAP_BPF and Linux 5.12.

#include <stdbool.h>
#include <stdint.h>

// Memory that the program and the worker share.
struct drb_rx_room {
	// Frames that were let in. Written by the program, which runs on several CPUs.
	_Alignas(64) uint64_t accepted;
	uint64_t lost; // packets dropped since drb_rx_room_lost(); both sides write it
	// Accepted frames that have left the ring or never came into it. Written by the worker.
	_Alignas(64) uint64_t taken;
};

// The tasks of a filter.
struct drb_rx_filter_use {
	uint32_t frames;   // of the socket's ring
	bool hellos_apart; // drop hellos without news
	bool confined;     // this process has dropped its rights: do not try to load a program
};

// Attaches the filter to a socket that is not bound yet. Returns the shared memory. NULL: the
// program cannot be loaded. Then losses are counted in frames.
struct drb_rx_room *drb_rx_filter_attach(int fd, const struct drb_rx_filter_use *use);
// Unmaps the memory; NULL is ignored. The socket keeps its filter.
void drb_rx_filter_free(struct drb_rx_room *room);

// Tells the program how many frames the worker has ever taken.
static inline void drb_rx_room_take(struct drb_rx_room *room, uint64_t taken)
{
	if (room->taken != taken)
		__atomic_store_n(&room->taken, taken, __ATOMIC_RELEASE);
}

// Returns the packets lost since the last call.
static inline uint64_t drb_rx_room_lost(struct drb_rx_room *room)
{
	return __atomic_exchange_n(&room->lost, 0, __ATOMIC_RELAXED);
}
