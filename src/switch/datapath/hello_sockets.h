// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sockets of hellos, which ports at interfaces of the kernel have: when worker 0 reads which, and the one by which it
// sends.

#include "switch/datapath/worker/worker.h"

// Once the ports are attached. 0 or -errno, with a message printed.
int drb_hello_sockets_find(struct drb_worker *w);
void drb_hello_sockets_free(struct drb_worker *w);
// Worker 0, which has slept: that of port i has some, for the next drb_hello_sockets_take().
void drb_hello_sockets_look(struct drb_worker *w, uint32_t i);
// Worker 0, which has slept until now: each socket that has some was told of.
void drb_hello_sockets_told(struct drb_worker *w, uint64_t now_ns);
// Takes what came by those that were told of, and, if it is time, by all.
void drb_hello_sockets_take(struct drb_worker *w);
// The frame leaves by port i as the outbox is sent. False: not this way.
bool drb_hello_sockets_send(struct drb_worker *w, uint32_t i, const uint8_t *frame, uint32_t len);
