// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Messages over a Unix socket that keeps their boundaries (SOCK_SEQPACKET). Each may carry a
// descriptor.

#include <stddef.h>
#include <sys/types.h>

// Sends a message. passed: a descriptor, which the caller still owns; -1: none. flags: those of
// sendmsg(). Returns 0 or -errno.
int drb_pass(int socket, const void *message, size_t length, int passed, int flags);
// Receives a message and returns its length in bytes. 0: the other end is gone. *passed: a
// descriptor that the caller then owns; -1: none was passed. flags: those of recvmsg(). Returns
// -errno on failure.
ssize_t drb_take_passed(int socket, void *message, size_t size, int *passed, int flags);
