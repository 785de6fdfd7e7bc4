// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hello sockets, which ports on kernel interfaces have. Decides when worker 0 reads each of them,
// and keeps the socket by which it sends hellos.

#include "switch/datapath/worker/worker.h"

// Finds the ports that have a hello socket. Call once the ports are attached. 0 or -errno, with a
// message printed.
int drb_hello_sockets_find(struct drb_worker *w);
void drb_hello_sockets_free(struct drb_worker *w);
// Worker 0, after a sleep: notes that the socket of port i is readable, for the next
// drb_hello_sockets_take().
void drb_hello_sockets_look(struct drb_worker *w, uint32_t i);
// Worker 0, after a sleep until now_ns: every readable socket has been noted, so no pass over all
// sockets is due yet.
void drb_hello_sockets_told(struct drb_worker *w, uint64_t now_ns);
// Takes hellos from the noted sockets and, if it is time, from all.
void drb_hello_sockets_take(struct drb_worker *w);
// Puts the frame into the outbox, to leave by port i when the outbox is sent. False: the caller
// must send the frame itself.
bool drb_hello_sockets_send(struct drb_worker *w, uint32_t i, const uint8_t *frame, uint32_t len);
