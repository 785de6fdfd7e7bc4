// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The receiving half of a packet socket: a ring of frames that the kernel fills and the worker
// empties (PACKET_MMAP, TPACKET_V2).

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/rx_gso.h"
#include "switch/ports/port.h"

struct rte_mbuf;
struct rte_mempool;

// Octets of a block of a ring. A frame is in one block.
#define DRB_RX_BLOCK 65536u

struct drb_rx_ring {
	int fd;                      // the socket; -1: not open
	uint8_t *frame;              // the first; NULL: not mapped
	uint32_t blocks, frame_size; // of the ring; octets of each frame
	uint32_t frame_max;          // octets of the longest packet that is forwarded
	uint32_t next; // where the frame is that is filled next: octets from the first
	struct drb_port_losses lost; // `missed` also by readers of counters
	struct drb_rx_gso gso;       // what is left of it comes before the ring's next frame
};

// Has the packet socket of one worker, ring->fd, receive at an interface every frame that comes in there,
// whoever it is for, but none that goes out. With several of them, drb_rx_ring_join() divides the
// frames. Of those longer than frame_max it yields the beginning, longer than that. frames: how long the ring
// is at least. 0 or -errno; *step then says what could not be done. To be closed in any case.
int drb_rx_ring_open(struct drb_rx_ring *ring, const char *interface, uint32_t frame_max,
		     uint32_t frames, const char **step);
// How long the ring of a port has to be.
uint32_t drb_rx_ring_frames(const struct drb_port *port);
// Octets of a ring that is open.
size_t drb_rx_ring_size(const struct drb_rx_ring *ring);
// Joins the group of `first`, or founds one if ring is it: each frame goes to one of the group, those
// of a flow to the same. 0 or -errno.
int drb_rx_ring_join(struct drb_rx_ring *ring, const struct drb_rx_ring *first);
// The index of the interface that the ring's socket is bound to; 0: of none any more.
unsigned drb_rx_ring_interface(const struct drb_rx_ring *ring);
// Binds the socket of a ring that shares with no other to another interface. 0 or -errno.
int drb_rx_ring_rebind(struct drb_rx_ring *ring, unsigned interface);
void drb_rx_ring_close(struct drb_rx_ring *ring);

// Copies up to count frames to buffers of the pool, which become the caller's, with VLAN tags that
// the kernel took out put in again, GSO packets cut into packets, and unfinished checksums marked
// (ports/unfinished.h). Returns how many. What no buffer is there for stays in the ring.
uint32_t drb_rx_ring_receive(struct drb_rx_ring *ring, struct rte_mempool *pool,
			     struct rte_mbuf **packets, uint32_t count);

// Nothing waits in the ring.
bool drb_rx_ring_is_empty(const struct drb_rx_ring *ring);

// Missed are frames that found the ring or the socket's buffer full. A system call.
struct drb_port_losses drb_rx_ring_losses(struct drb_rx_ring *ring);
