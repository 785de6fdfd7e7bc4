// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Receives GSO packets from a packet socket (gso_packet.h). Reads them whole, and cuts them into
// packets as the worker takes them.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/gso_packet.h"

struct rte_mbuf;
struct rte_mempool;

#define DRB_TAG_ROOM 4 // bytes before a frame, for a VLAN tag that the kernel passes separately

// The GSO packet that is being cut. Owned by its worker.
struct drb_rx_gso {
	struct drb_gso gso;
	uint32_t next, segments; // the next segment to be cut; if equal, there is no GSO packet
	uint32_t start;          // offset of the GSO packet in `octets`
	bool too_long;           // it is not cut only because its segments are too long
	uint8_t *octets;         // DRB_RX_GSO_ROOM bytes, owned
};

#define DRB_RX_GSO_ROOM (DRB_TAG_ROOM + DRB_GSO_MAX)

// A VLAN tag, in host byte order.
struct drb_vlan_tag {
	bool present;
	uint16_t type, control;
};

static inline bool drb_rx_gso_is_open(const struct drb_rx_gso *t)
{
	return t->next < t->segments;
}

// True if the GSO packet should wait for the next burst of `count` packets, because only a part of
// it fits into this burst behind `taken` others. Its parts in two bursts would be coalesced
// separately, and stay separate in all further switches.
static inline bool drb_rx_gso_waits(const struct drb_rx_gso *t, uint32_t taken, uint32_t count)
{
	return t->next == 0 && t->segments > count - taken && t->segments <= count;
}

// Begins to cut a frame whose first `length` bytes, without the tag, are at octets + DRB_TAG_ROOM.
// False if it cannot be cut into frames of at most frame_max bytes. too_long is true if only the
// length of its segments is the reason.
bool drb_rx_gso_begin(struct drb_rx_gso *t, const struct virtio_net_hdr *cut, uint32_t length,
		      const struct drb_vlan_tag *tag, uint32_t frame_max);

// Reads the next frame from a socket with PACKET_VNET_HDR and PACKET_AUXDATA, and begins to cut it.
// Returns the bytes of the frame, with *whole false if it cannot be cut. Returns 0 if no frame
// waits, or if it is no GSO packet; such a frame is dropped.
uint32_t drb_rx_gso_read(struct drb_rx_gso *t, int fd, uint32_t frame_max, bool *whole);

// Cuts off up to count packets, owned by the caller. Returns their number, which is less if the
// pool has too few buffers.
uint32_t drb_rx_gso_cut(struct drb_rx_gso *t, struct rte_mempool *pool, struct rte_mbuf **packets,
			uint32_t count);
