// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bundles: several packets that one switch hands to the next over a kernel interface as one frame. What the
// kernel takes for a frame is mostly the way, not the octets, so that on a veth, which carries frames of up to
// 64 KiB, packets go together. A neighbour says in its hellos how long its bundles may be; there are
// none from or to hosts.
//
// A bundle is cut into slots, each as long as the longest packet of the fabric. The first begins with struct
// drb_bundle_head. Packets follow in order, each as close to the one before as it goes without
// reaching into another slot: a long packet has a slot of its own, many short ones share one. So a receiver whose
// buffers are as long as slots (AF_XDP, or recvmsg() into several) finds long packets where they can stay.

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_mempool;

enum {
	DRB_BUNDLE_PACKETS = 64, // most in a bundle
	DRB_BUNDLE_MTU = 65535,  // of an interface that carries the longest
	// Slots of the longest: those of the least MTU.
	DRB_BUNDLE_SLOTS = 52,
	// What a slot's octets are a multiple of, so that a receiver may have it in two or three buffers of one length.
	DRB_BUNDLE_SLOT_UNIT = 24,
};

// Of a packet in a bundle; numbers have their high octet first, as on a wire.
struct drb_bundle_packet {
	uint8_t length[2];
	uint8_t start
		[2];   // of what its unfinished checksum sums up (unfinished.h); 0: it is finished
	uint8_t field; // where that checksum is, from there
	uint8_t zero;
};

struct drb_bundle_head {
	uint8_t destination[6], source[6], type[2];
	uint8_t version, count;
	uint8_t slot[2]; // octets
	uint8_t zero[2];
	struct drb_bundle_packet packet[DRB_BUNDLE_PACKETS]; // the first `count` are used
};

// Octets of a slot in a fabric whose longest frame has frame_max.
static inline uint32_t drb_bundle_slot(uint32_t frame_max)
{
	return (frame_max + DRB_BUNDLE_SLOT_UNIT - 1) / DRB_BUNDLE_SLOT_UNIT * DRB_BUNDLE_SLOT_UNIT;
}

// Where a packet begins in a bundle of `end` octets.
static inline uint32_t drb_bundle_place(uint32_t end, uint32_t slot, uint32_t length)
{
	return end % slot + length <= slot && end % slot > 0 ? end : (end + slot - 1) / slot * slot;
}

// True if a frame of at least DRB_ETHER_HEADER octets claims to be a bundle.
bool drb_bundle_is(const uint8_t *frame);

// How many of the packets, from the first, go into a bundle of at most `max` octets; less than 2: it is not worth it.
uint32_t drb_bundle_count(struct rte_mbuf *const *packets, uint32_t count, uint32_t slot,
			  uint32_t max);
// Writes the head of these packets' bundle.
void drb_bundle_write(struct drb_bundle_head *head, struct rte_mbuf *const *packets, uint32_t count,
		      uint32_t slot);

// How many packets a bundle has, `length` octets in slots of `slot`, whose head is whole; 0: it is none, or
// contradicts itself.
uint32_t drb_bundle_check(const struct drb_bundle_head *head, uint32_t length, uint32_t slot);

// Takes the packets of a bundle apart that has been checked, in buffers of one slot each. A packet that has a
// slot of its own keeps the buffer; others are copied to buffers of the pool. The caller's `slots` are gone.
// How many there are: without buffers fewer, the first ones.
uint32_t drb_bundle_open(struct rte_mbuf **slots, uint32_t count, struct rte_mempool *pool,
			 struct rte_mbuf **packets);
// The same of one that is in one piece: every packet is copied.
uint32_t drb_bundle_copy(const uint8_t *frame, uint32_t slot, struct rte_mempool *pool,
			 struct rte_mbuf **packets);
