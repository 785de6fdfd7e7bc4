// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that receives only hellos, so that they do not wait behind data in the port's
// ring or find it full. Most hellos repeat the last one. A hello with news comes to the port's ring
// as well. The socket has a small ring of its own, so that polling it takes no system call while it
// is empty. Hellos that find it full are lost.

#include <stdbool.h>
#include <stdint.h>

struct drb_hello_taken;

struct drb_hello_socket {
	int fd;        // -1: not open
	uint32_t next; // number of the next frame
	uint32_t size; // bytes of the ring
	uint8_t *ring;
};

// Opens the socket at an interface. Returns 0 or -errno. The caller must close it in any case.
int drb_hello_socket_open(struct drb_hello_socket *s, unsigned interface);
void drb_hello_socket_close(struct drb_hello_socket *s);
// The read() of struct drb_hello_ops.
bool drb_hello_socket_read(struct drb_hello_socket *s, struct drb_hello_taken *hello);
// Binds the socket to another interface. Returns 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
