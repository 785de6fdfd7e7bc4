// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the hellos of several ports in one system call, by a packet socket that is bound to no
// interface. While links are at rest, most of a switch's cost is these calls, and the cache misses
// of the kernel for each socket.

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define DRB_HELLOS_TOGETHER 16

struct drb_hello_outbox {
	int fd; // from drb_packet_socket()
	uint32_t count;
	uint32_t used; // bytes of `octets`
	bool full;     // frames for one interface filled the socket, so others lost hellos
	struct {
		struct sockaddr_ll to;
		struct iovec part[2]; // content, and zeros as padding
	} of[DRB_HELLOS_TOGETHER];
	uint8_t octets[4096];
};

static inline void drb_hello_outbox_begin(struct drb_hello_outbox *box, int fd)
{
	box->fd = fd;
	box->count = box->used = 0;
	box->full = false;
}
// Adds a hello. First sends the others if there is no space. frame: made by drb_hello_encode() and
// drb_hello_key_sign().
void drb_hello_outbox_add(struct drb_hello_outbox *box, unsigned interface, const uint8_t *frame,
			  uint32_t length);
// Sends all hellos. A hello is lost if its interface is down, gone or full. All hellos are lost
// while the socket is full.
void drb_hello_outbox_send(struct drb_hello_outbox *box);
