// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// GSO packets that a packet socket receives (gso_packet.h): read whole, and cut into packets as the worker
// takes them.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/gso_packet.h"

struct rte_mbuf;
struct rte_mempool;

#define DRB_TAG_ROOM 4 // octets before a frame, for a VLAN tag that the kernel tells apart from it

// The GSO packet that is being cut. Of its worker alone.
struct drb_rx_gso {
	struct drb_gso gso;
	uint32_t next, segments; // the next to be cut; equal: there is no GSO packet
	uint32_t start;          // of the GSO packet in octets
	bool too_long;           // it could be cut, were its segments not too long
	uint8_t *octets;         // DRB_RX_GSO_ROOM of them, owned
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

// Whether it waits for the next burst of `count` packets, since this one has room for a part of it only
// behind `taken` others: what leaves in two bursts leaves in two parts, and stays so in every switch behind.
static inline bool drb_rx_gso_waits(const struct drb_rx_gso *t, uint32_t taken, uint32_t count)
{
	return t->next == 0 && t->segments > count - taken && t->segments <= count;
}

// Begins with a frame whose first `length` octets, without the tag, are at octets + DRB_TAG_ROOM.
// False if it cannot be cut into frames of at most frame_max octets; too_long tells whether that is why.
bool drb_rx_gso_begin(struct drb_rx_gso *t, const struct virtio_net_hdr *cut, uint32_t length,
		      const struct drb_vlan_tag *tag, uint32_t frame_max);

// Reads the next frame that waits in a socket with PACKET_VNET_HDR and PACKET_AUXDATA, to begin with
// it. Octets of the frame; 0 if none waits, or the kernel calls it no GSO packet; it is gone then. Else
// *whole tells whether it can be cut.
uint32_t drb_rx_gso_read(struct drb_rx_gso *t, int fd, uint32_t frame_max, bool *whole);

// Cuts up to count packets off, which become the caller's. How many: fewer where the pool has no more
// buffers.
uint32_t drb_rx_gso_cut(struct drb_rx_gso *t, struct rte_mempool *pool, struct rte_mbuf **packets,
			uint32_t count);
