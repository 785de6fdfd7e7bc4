// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The worker's second half: from egress queues to drivers and sockets.

#include "switch/datapath/worker/worker.h"

// Sends packets by port i, ahead of its queue. Returns how many were sent or lost; the others stay
// the caller's.
uint32_t drb_transmit_now(struct drb_worker *w, uint32_t i, struct rte_mbuf **packets,
			  uint32_t count, struct drb_send_result *result);

// Watches kernel interfaces if a change of them may change how port i sends
// (drb_transmit_review()). Call before the worker runs. 0 or -errno.
int drb_transmit_attach(struct drb_worker *w, uint32_t i);
// Has ports check which method of sending they use, if interfaces have changed. Runs once a second
// at most: even a system call that finds nothing is a notable part of an idle worker's time.
void drb_transmit_review(struct drb_worker *w);

// Sends what is due on every port. *next_ns becomes the next time at which a queue needs service.
void drb_transmit(struct drb_worker *w, uint64_t *next_ns);

// Calls the flush function of ports that have one: this iteration sends nothing more.
void drb_transmit_flush(struct drb_worker *w);

// Frees the packets queued at port i and on its delayed link; returns how many.
uint32_t drb_transmit_free(struct drb_worker *w, uint32_t i);
