// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From egress queues to drivers and sockets: the worker's second half.

#include "switch/datapath/worker/worker.h"

// Hands packets to port i, past its queue. How many are done with; the others are the caller's.
uint32_t drb_transmit_now(struct drb_worker *w, uint32_t i, struct rte_mbuf **packets,
			  uint32_t count, struct drb_send_result *result);

// Watches interfaces for port i, if it sends in another way when they change (drb_transmit_review()). Before
// the worker runs. 0 or -errno.
int drb_transmit_attach(struct drb_worker *w, uint32_t i);
// Has ports look whether interfaces have changed such that they send in another way now. Once
// a second at most: with nothing to do even a system call that finds nothing is a part of all work.
void drb_transmit_review(struct drb_worker *w);

// Sends what is due on every port. *next_ns becomes the next time a queue wants attention.
void drb_transmit(struct drb_worker *w, uint64_t *next_ns);

// Tells ports, where they want it, that this iteration has sent all that it will.
void drb_transmit_flush(struct drb_worker *w);

// Frees what is queued at port i; returns how many packets that were.
uint32_t drb_transmit_free(struct drb_worker *w, uint32_t i);
