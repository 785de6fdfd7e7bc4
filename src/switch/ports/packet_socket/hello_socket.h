// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that receives only hellos: they do not wait behind data in a ring, and do not find it full.

// A socket that reads without waiting, or -errno.
int drb_hello_socket_open(const char *interface);
// Spares a ring of the same interface what that socket gets. It may fail: then there are copies.
void drb_hello_socket_spare(int ring_fd);
// Binds it to another interface. 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
