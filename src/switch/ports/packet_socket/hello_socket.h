// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that receives only hellos: they do not wait behind data in a ring, and do not find it full.
// Most hellos repeat the last one. A hello with news comes to the port's ring as well. The socket has a ring of its
// own, so that a look at a socket in which nothing is takes no system call. A full ring takes no more.

#include <stdbool.h>
#include <stdint.h>

struct drb_hello_taken;

struct drb_hello_socket {
	int fd;        // -1: not open
	uint32_t next; // frame
	uint32_t size; // of the ring in octets
	uint8_t *ring;
};

// 0 or -errno. To be closed in any case.
int drb_hello_socket_open(struct drb_hello_socket *s, unsigned interface);
void drb_hello_socket_close(struct drb_hello_socket *s);
// As in struct drb_hello_ops.
bool drb_hello_socket_read(struct drb_hello_socket *s, struct drb_hello_taken *hello);
// Spares a ring of the same interface hellos without news. It may fail: then there are copies of all.
void drb_hello_socket_spare(int ring_fd);
// Binds it to another interface. 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
