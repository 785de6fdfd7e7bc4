// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The messages between the two ends of a memif link, over a SOCK_SEQPACKET socket: the memif
// protocol, version 2.0, in the machine's byte order. The server greets. The client makes all
// shared memory and rings, and announces them one message at a time. The server acknowledges each
// message.
//
//   server                        client
//   HELLO                    ->
//                            <-   INIT
//   ACK                      ->
//                            <-   REGION, with a descriptor; RING, with an eventfd; one or more
//   ACK of each              ->
//                            <-   CONNECT
//   CONNECTED                ->
//   DISCONNECT, at any time, from either

#include <stdint.h>

#define DRB_MEMIF_VERSION 0x200
#define DRB_MEMIF_NAME_LEN 32

enum drb_memif_type {
	DRB_MEMIF_ACK = 1,
	DRB_MEMIF_HELLO,
	DRB_MEMIF_INIT,
	DRB_MEMIF_REGION,
	DRB_MEMIF_RING,
	DRB_MEMIF_CONNECT,
	DRB_MEMIF_CONNECTED,
	DRB_MEMIF_DISCONNECT,
};

enum { DRB_MEMIF_FROM_CLIENT = 1 }; // the flag of a ring whose packets the client sends

struct drb_memif_message {
	uint16_t type;
	union {
		struct {
			char name[DRB_MEMIF_NAME_LEN];
			uint16_t min_version, max_version;
			// The highest numbers that the server accepts.
			uint16_t max_region, max_ring_to_client, max_ring_from_client;
			uint8_t max_log2_size;
		} __attribute__((packed)) hello;
		struct {
			uint16_t version;
			uint32_t id;  // of one of several links at a socket; a switch has one: 0
			uint8_t mode; // 0: Ethernet
			uint8_t secret[24];
			char name[DRB_MEMIF_NAME_LEN];
		} __attribute__((packed)) init;
		struct {
			uint16_t index;
			uint64_t size; // bytes
		} __attribute__((packed)) region;
		struct {
			uint16_t flags, index, region;
			uint32_t offset; // bytes, in the region
			uint8_t log2_size;
			uint16_t private_octets; // bytes behind each descriptor
		} __attribute__((packed)) ring;
		struct {
			char port[DRB_MEMIF_NAME_LEN];
		} connect; // and CONNECTED
		struct {
			uint32_t code;
			char why[96];
		} __attribute__((packed)) disconnect;
		uint8_t room[126];
	};
} __attribute__((packed));

_Static_assert(sizeof(struct drb_memif_message) == 128, "every message has 128 octets");
