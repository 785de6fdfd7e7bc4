// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hellos of several ports that leave in one system call, by a packet socket that is bound to no interface. At rest these
// calls, and what the kernel fetches into the cache for each socket, are most of what a switch costs.

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define DRB_HELLOS_TOGETHER 16

struct drb_hello_outbox {
	int fd; // of drb_packet_socket()
	uint32_t count;
	uint32_t used; // of the octets
	bool full;     // an interface keeps so much of what was sent that others lost theirs
	struct {
		struct sockaddr_ll to;
		struct iovec part[2]; // what it says, and 0 that make it longer
	} of[DRB_HELLOS_TOGETHER];
	uint8_t octets[4096];
};

static inline void drb_hello_outbox_begin(struct drb_hello_outbox *box, int fd)
{
	box->fd = fd;
	box->count = box->used = 0;
	box->full = false;
}
// Sends before what is there if that leaves no room. frame: as drb_hello_encode() and drb_hello_key_sign() leave it.
void drb_hello_outbox_add(struct drb_hello_outbox *box, unsigned interface, const uint8_t *frame,
			  uint32_t length);
// Empties it. An interface that takes no hello, because it is down, gone or full, loses it. Where the socket is full,
// all do.
void drb_hello_outbox_send(struct drb_hello_outbox *box);
