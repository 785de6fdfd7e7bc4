// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that receives only hellos: they do not wait behind data in a ring, and do not find it full.
// Most hellos repeat the last one. A hello with news comes to the ring as well.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A socket that reads without waiting, or -errno.
int drb_hello_socket_open(const char *interface);
// As in struct drb_hello_ops.
int drb_hello_socket_read(int fd, uint8_t *frame, size_t size, uint64_t *waited_ns);
// Spares a ring of the same interface hellos that only say that their sender lives and hears us; up: or that it cannot
// turn packets back up, which matters to switches above it alone. It may fail: then there are copies of all.
void drb_hello_socket_spare(int ring_fd, bool up);
// Binds it to another interface. 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
