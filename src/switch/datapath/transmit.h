// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From egress queues to drivers and sockets: the worker's second half.

#include "switch/datapath/worker.h"

static inline bool drb_port_is_without_peer(const struct drb_worker_port *port)
{
	return port->memif && !port->memif->owner;
}

// Hands packets to port i, past its queue. How many are done with; the others are the caller's.
uint32_t drb_transmit_now(struct drb_worker *w, uint32_t i, struct rte_mbuf **packets,
			  uint32_t count, struct drb_send_result *result);

// Sets how port i sends: `out`, or its driver. Before the worker runs.
void drb_transmit_by(struct drb_worker *w, uint32_t i, const struct drb_tx_socket *out,
		     enum drb_driver driver);
// Looks whether interfaces have changed such that runs can no longer be sent, or can be again. Once
// a second at most: with nothing to do even a system call that finds nothing is a part of all work.
void drb_transmit_review(struct drb_worker *w);

// Sends what is due on every port. *next_ns becomes the next time a queue wants attention.
void drb_transmit(struct drb_worker *w, uint64_t *next_ns);

// Wakes the receivers of what this turn sent through shared memory.
void drb_transmit_ring(struct drb_worker *w);

// Frees what is queued at port i; returns how many packets that were.
uint32_t drb_transmit_free(struct drb_worker *w, uint32_t i);
