// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A packet socket that gets nothing but hellos: they do not stand behind data in a ring, nor find it
// full. The ring gets copies.

// A socket that reads without waiting, or -errno.
int drb_hello_socket_open(const char *interface);
// Binds it to another interface. 0 or -errno.
int drb_hello_socket_bind(int fd, unsigned interface);
