// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads a frame in the receive ring of a packet socket (packet(7), TPACKET_V2).

#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdint.h>
#include <string.h>

#include "switch/ports/packet_socket/rx_gso.h"

struct rte_mbuf;

static inline const uint8_t *drb_rx_octets(const struct tpacket2_hdr *f)
{
	return (const uint8_t *)f + f->tp_mac;
}

// Returns the work that the sender left to its device.
static inline struct virtio_net_hdr drb_rx_cut(const struct tpacket2_hdr *f)
{
	struct virtio_net_hdr cut;
	memcpy(&cut, drb_rx_octets(f) - sizeof(cut), sizeof(cut));
	return cut;
}

// Returns the VLAN tag that the kernel has removed.
struct drb_vlan_tag drb_rx_tag(const struct tpacket2_hdr *f);

// Returns the bytes to keep of a frame. A frame longer than frame_max is cut to frame_max + 1
// bytes, so that it is still too long and fits into a buffer.
static inline uint32_t drb_rx_shortened(uint32_t octets, uint32_t frame_max)
{
	return octets <= frame_max ? octets : frame_max + 1;
}

// Copies the frame, cut if it is too long, to an empty packet. Inserts the VLAN tag, and marks an
// unfinished checksum.
void drb_rx_copy(const struct tpacket2_hdr *f, uint32_t frame_max, struct rte_mbuf *m);
