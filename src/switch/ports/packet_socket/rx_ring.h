// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The receiving half of a packet socket: a ring of frames that the kernel fills and the worker
// empties (PACKET_MMAP, TPACKET_V2).

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/rx_filter.h"
#include "switch/ports/packet_socket/rx_gso.h"
#include "switch/ports/port.h"

struct rte_mbuf;
struct rte_mempool;

// Bytes of a block of a ring. No frame crosses a block.
#define DRB_RX_BLOCK 65536u

struct drb_rx_ring {
	int fd;                      // the socket; -1: not open
	uint8_t *frame;              // the first frame; NULL: not mapped
	uint32_t blocks, frame_size; // blocks of the ring; bytes of each frame
	uint32_t frame_max;          // bytes of the longest packet that is forwarded
	uint32_t next;               // byte offset of the frame that the kernel fills next
	uint64_t taken;              // frames that have left the ring, or never came into it
	struct drb_rx_room *room;    // shared with the filter; NULL: losses are counted in frames
	struct drb_port_losses lost; // drb_rx_ring_losses() updates `missed`
	struct drb_rx_gso gso;       // its remaining segments come before the ring's next frame
};

// Opens a ring of the length that the port needs, at the packet socket ring->fd of one worker. The
// ring receives every incoming frame of the interface, whatever its destination, except hellos that
// have a socket of their own. It receives no outgoing frames. With several workers,
// drb_rx_ring_join() divides the frames. A frame longer than port->frame_max is cut, but stays
// longer than that. confined: this process has dropped its rights. Returns 0 or -errno, with *step
// naming the step that failed. The caller must close the ring in any case.
int drb_rx_ring_open(struct drb_rx_ring *ring, const struct drb_port *port, bool confined,
		     const char **step);
// Returns the bytes of an open ring.
size_t drb_rx_ring_size(const struct drb_rx_ring *ring);
// Joins the group of `first`, or begins a group if ring is `first`. Each frame goes to one ring of
// the group, and all frames of a flow to the same one. Returns 0 or -errno.
int drb_rx_ring_join(struct drb_rx_ring *ring, const struct drb_rx_ring *first);
// Returns the index of the interface that the ring's socket is bound to. 0: the interface is gone.
unsigned drb_rx_ring_interface(const struct drb_rx_ring *ring);
// Binds the socket of a ring without a group to another interface. Returns 0 or -errno.
int drb_rx_ring_rebind(struct drb_rx_ring *ring, unsigned interface);
void drb_rx_ring_close(struct drb_rx_ring *ring);

// Copies up to count packets to buffers of the pool, owned by the caller. Inserts VLAN tags that
// the kernel has removed, cuts GSO packets, and marks unfinished checksums (ports/unfinished.h).
// Returns their number. Frames without a free buffer stay in the ring.
uint32_t drb_rx_ring_receive(struct drb_rx_ring *ring, struct rte_mempool *pool,
			     struct rte_mbuf **packets, uint32_t count);

// True if no packet waits in the ring.
bool drb_rx_ring_is_empty(const struct drb_rx_ring *ring);

// Returns the losses; `missed` counts packets that found the ring or the socket's buffer full.
// Without ring->room, a GSO packet that found the ring full counts once. Takes a system call.
struct drb_port_losses drb_rx_ring_losses(struct drb_rx_ring *ring);
