// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Creates a worker, and applies a reload to it.

#include "switch/datapath/worker/worker.h"

// One worker's share of a port's limit in packets, rounded up.
static inline uint32_t drb_worker_share(const struct drb_setup *s, uint32_t limit)
{
	return (limit + s->workers - 1) / s->workers;
}

static inline struct drb_link_model drb_worker_link(const struct drb_setup *s,
						    const struct drb_port_setup *p)
{
	return (struct drb_link_model){
		.rate = {p->rate.value / s->workers, p->rate.per_packet},
		.slots = p->slotted ? p->slots : 0,
		.overhead = p->overhead,
		.catchup_ns = p->catchup_ns,
	};
}

// setup must outlive the worker. Ports are inactive until drb_worker_attach(). 0 or -ENOMEM.
int drb_worker_init(struct drb_worker *w, const struct drb_setup *setup);
// Sets the scheme and the choice by which the worker decides.
void drb_worker_choose(struct drb_decide_state *d, const struct drb_setup *setup);
// Makes it worker `number` of several. owner: worker 0, which keeps the state of links.
void drb_worker_join(struct drb_worker *w, struct drb_worker *owner, uint32_t number);
// Applies the configuration that a reload may change, and which sources each port accepts.
void drb_worker_configure(struct drb_worker *w, const struct drb_setup *setup);
// Attaches `queue` to port index (as in setup->ports). The port's egress queue takes limit packets.
void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue);
// Frees queues and the packets in them.
void drb_worker_free(struct drb_worker *w);
