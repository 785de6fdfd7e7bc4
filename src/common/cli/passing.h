// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages over a Unix socket that keeps their boundaries (SOCK_SEQPACKET), each with a descriptor.

#include <stddef.h>
#include <sys/types.h>

// passed: a descriptor, which stays the caller's; -1: none. flags: of sendmsg(). 0 or -errno.
int drb_pass(int socket, const void *message, size_t length, int passed, int flags);
// How many octets came; 0: the other end is gone; -errno. *passed becomes the caller's; -1: none came along. flags: of
// recvmsg().
ssize_t drb_take_passed(int socket, void *message, size_t size, int *passed, int flags);
