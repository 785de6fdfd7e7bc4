// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that receives only hellos: they do not wait behind data in a ring, and do not find it full.
// Most hellos repeat the last one. A hello with news comes to the ring as well.

#include <stdbool.h>
#include <stdint.h>

struct drb_hello_frames;

// A socket that reads without waiting, or -errno.
int drb_hello_socket_open(unsigned interface);
// As in struct drb_hello_ops.
uint32_t drb_hello_socket_read(int fd, struct drb_hello_frames *frames, uint32_t most);
// Spares a ring of the same interface hellos without news. It may fail: then there are copies of all.
void drb_hello_socket_spare(int ring_fd);
// Binds it to another interface. 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
