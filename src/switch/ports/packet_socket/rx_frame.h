// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A frame of a receive ring of a packet socket (packet(7), TPACKET_V2), as the kernel has filled it.

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

// What its sender left to its device.
static inline struct virtio_net_hdr drb_rx_cut(const struct tpacket2_hdr *f)
{
	struct virtio_net_hdr cut;
	memcpy(&cut, drb_rx_octets(f) - sizeof(cut), sizeof(cut));
	return cut;
}

// The VLAN tag that the kernel took out.
struct drb_vlan_tag drb_rx_tag(const struct tpacket2_hdr *f);

// Of a frame that is longer than frame_max octets, so much that it still is: as much as a buffer has room for.
static inline uint32_t drb_rx_shortened(uint32_t octets, uint32_t frame_max)
{
	return octets <= frame_max ? octets : frame_max + 1;
}

// Copies it, shortened, to an empty packet, with its tag put in again and an unfinished checksum marked.
void drb_rx_copy(const struct tpacket2_hdr *f, uint32_t frame_max, struct rte_mbuf *m);
