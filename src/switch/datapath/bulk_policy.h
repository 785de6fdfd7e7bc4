// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A worker that wakes preempts the switch that sends to it, so each wake-up brings few packets.
// Under bulk traffic the worker runs as SCHED_BATCH: the sender keeps the CPU, and the worker
// receives more packets at once.

#include "switch/datapath/worker/worker.h"

#define DRB_BULK_SPAN_NS 4000000
#define DRB_BULK_OCTETS (DRB_BULK_SPAN_NS / 16) // bytes in a span of bulk traffic: 500 Mbit/s
#define DRB_BULK_CALM_NS 20000000 // without bulk traffic for so long: wake promptly again

// Call in the worker's thread when it begins. A thread whose policy is not SCHED_OTHER keeps it.
void drb_bulk_policy_init(struct drb_worker *w);
// Call in the worker's thread before it sleeps; the policy holds from that sleep on. A paced worker
// must wake on time and stays SCHED_OTHER.
void drb_bulk_policy_update(struct drb_worker *w);
